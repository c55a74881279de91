#include "recursion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace polyform::hierarchy {
namespace {

/// A residual relative to its terms, divided by the smallest pivot, is about the error of the multipliers. The first is
/// the wanted error, within the limits of rounding and of the usual residual.
constexpr double wanted_accuracy = 1e-9, least_residual = 1e-15, usual_residual = 1e-12;
/// Passes that may be made to get there.
constexpr std::size_t most_rounds = 3;
/// A motion with less inertia than this, relative to the largest: rounding of forces moves it by more than 1e-12.
constexpr double light_motion = 1e-3;
/// A covariance below this part of its value without constraints has lost too many digits. For parallel hinges, where
/// it falls as n⁻³, accelerations are wrong by 1e-8 soon after (3000 bodies), and without square roots by a fifth at
/// 8000.
constexpr double least_covariance = 2e-10;

}  // namespace

Recursion::Recursion(const AbsoluteEquations& system, const MergeTree& tree,
                     std::span<const LevelConstraint> constraints, std::span<const BlockInertia> inertia, Method method,
                     std::span<const std::vector<double>> noise)
    : models_(system, tree, constraints, inertia, method, noise),
      pass_(models_),
      residuals_(models_),
      accelerations_(system.offset(system.blocks())),
      multipliers_(system.rows()),
      given_way_(system.rows()) {}

/// What rounding leaves of M α − f − Aᵀλ and A α − b is solved for once more where joints are nearly dependent.
bool Recursion::solve(std::span<const double> loads, Accelerations wanted) noexcept {
  failure_.clear();
  pass_.begin();
  std::ranges::fill(accelerations_, 0.0);
  std::ranges::fill(multipliers_, 0.0);
  residuals_.begin(loads);
  double error = 0, before = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (!pass_.run(residuals_.of_loads(), residuals_.of_rows(), failure_)) return false;
    for (std::size_t i = 0; i < accelerations_.size(); ++i) accelerations_[i] += pass_.accelerations()[i];
    for (std::size_t r = 0; r < multipliers_.size(); ++r) multipliers_[r] += pass_.multipliers()[r];
    error = residuals_.find(loads, accelerations_, multipliers_);
    // Solves once more for what rounding hides in the residual. Heavy bodies may push a light motion by levers that no
    // pivot shows: residuals are then rounding relative to the forces, but not relative to the force that is left for
    // that motion.
    const bool light = wanted == Accelerations::shown || pass_.bases().lightest() < light_motion;
    const bool again = round == 0 && residuals_.can_refine() && light;
    if (again) residuals_.refine(loads, accelerations_, multipliers_);
    const double pivot = std::min(pass_.filter().smallest_pivot(), pass_.bases().smallest_pivot());
    const double enough = std::clamp(wanted_accuracy * pivot, least_residual, usual_residual);
    if (!again && (error < enough || !(error < 0.1 * before))) break;
    before = error;
  }
  if (!check_finite() || (error > usual_residual && !check_covariances())) return false;
  return error <= Residuals::largest || residuals_.check(loads, multipliers_, failure_);
}

bool Recursion::check_finite() noexcept {
  const double sum = std::accumulate(accelerations_.begin(), accelerations_.end(), 0.0);
  if (std::isfinite(sum)) return true;
  std::size_t k = 0, i = 0;
  while (k + 1 < accelerations_.size() && std::isfinite(accelerations_[k])) ++k;
  while (models_.system().offset(i + 1) <= k) ++i;
  return failure_.say("The accelerations of `{}` are not finite: a force, the state or the time step has gone astray",
                      models_.system().name_of_block(i));
}

/// Refuses accelerations by the filter where its covariances are differences of much larger numbers and more passes do
/// not help: how much they lose no residual shows.
bool Recursion::check_covariances() noexcept {
  const double pivot = pass_.filter().stiffest_pivot();
  if (!(pivot < least_covariance)) return true;
  const std::size_t constraint = pass_.filter().stiffest().rows.front().constraint;
  return failure_.say(
      "What {} `{}` connects is too stiff against its motions for this method, whose covariances have lost their "
      "digits "
      "(relative pivot {:.1e}). Likely cause: a long chain whose joints all turn about one direction. Choose the "
      "method orthogonal-complement, or another solver",
      models_.system().kind_of_constraint(constraint), models_.system().name_of_constraint(constraint), pivot);
}

std::span<const double> Recursion::given_way() noexcept {
  for (const Node& node : models_.nodes())
    for (const NodeRows& rows : node.rows)
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r) {
        const std::size_t row = models_.system().first_row(rows.constraint) + r;
        given_way_[row] = node.noise[static_cast<std::size_t>(rows.first) + r] * multipliers_[row];
      }
  return given_way_;
}

}  // namespace polyform::hierarchy
