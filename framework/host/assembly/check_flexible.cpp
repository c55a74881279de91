// Whether the mass and the modes of flexible bodies go together.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "framework/host/assembly/parts.hpp"
#include "polyform/mechanics/flexible_set.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Data of modes have few digits: this share of them is rounding.
constexpr double allowance = 1e-6;

/// Whether no motion has negative kinetic energy, each unknown relative to its own size.
bool is_positive(std::span<const double> mass, std::size_t n) {
  const auto size = [&](std::size_t k) { return mass[k * (n + 1)] > 0 ? std::sqrt(mass[k * (n + 1)]) : 1.0; };
  Eigen::MatrixXd scaled(n, n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      scaled(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
          mass[r * n + c] / (size(r) * size(c)) + (r == c ? allowance : 0.0);
  return scaled.llt().info() == Eigen::Success;
}

}  // namespace

bool check_flexible(const System::Parts& parts, Diagnostics& diagnostics) {
  const SystemView& view = parts.view;
  if (view.flexible.empty()) return true;
  FlexibleSet set(view);
  if (!set.good()) return true;  // memory ran out, which a solver will say
  const std::vector<BodyMotion> rest(view.bodies.size());
  const std::vector<double> undeformed(view.modes);
  set.evaluate(rest, undeformed.data(), undeformed.data());
  for (std::size_t f = 0; f < view.flexible.size(); ++f) {
    if (is_positive(set.mass(f), set.size(f))) continue;
    const std::size_t body = at(view.flexible[f].body);
    parts.report(
        diagnostics, Severity::error, parts.description.bodies[parts.forest.order[body]], {}, {},
        fmt::format("no body has the mass, the inertia and the modes of `{}` together: some motion of it would "
                    "have negative kinetic energy",
                    view.bodies[body].name),
        "the integrals of the modes must belong to a body of the given mass, centre of mass and inertia");
  }
  return !diagnostics.failed();
}

}  // namespace polyform::host::assembly
