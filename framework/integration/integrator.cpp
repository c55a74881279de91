#include "framework/integration/integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/integration/methods.hpp"

namespace polyform::host {

namespace {

struct Method {
  IntegratorInfo info;
  std::unique_ptr<Integrator> (*make)(Ode&, const IntegratorSettings&);
};

constexpr Method methods[] = {
    {{"rk4", "classical Runge-Kutta method with a fixed step", true, 4}, make_rk4},
    {{"dopri5", "adaptive Dormand-Prince 5(4) Runge-Kutta method", false, 5}, make_dopri5},
    {{"cvode-adams", "adaptive Adams-Moulton multistep method, for smooth motion of large systems", false, 12},
     make_cvode_adams},
    {{"cvode-bdf", "adaptive backward differentiation formulas, for stiff systems", false, 5}, make_cvode_bdf},
};

void check_positive(double value, std::string_view what, std::string_view unit) {
  if (std::isfinite(value) && value > 0) return;
  throw Failure(Exit::bad_input, fmt::format("the {} is {}{}; expected a number greater than 0", what, value, unit));
}

[[noreturn]] void refuse_name(std::string_view name) {
  std::vector<std::string_view> known;
  for (const IntegratorInfo& info : integrators()) known.push_back(info.name);
  const std::string_view nearest = nearest_name(name, known);
  throw Failure(Exit::bad_input, fmt::format("there is no integrator '{}'; expected {}", name, fmt::join(known, ", ")),
                nearest.empty() ? "" : fmt::format("Did you mean '{}'?", nearest));
}

}  // namespace

std::span<const IntegratorInfo> integrators() {
  static const auto infos = [] {
    std::array<IntegratorInfo, std::size(methods)> all{};
    std::transform(std::begin(methods), std::end(methods), all.begin(), [](const Method& m) { return m.info; });
    return all;
  }();
  return infos;
}

std::unique_ptr<Integrator> make_integrator(Ode& ode, const IntegratorSettings& settings) {
  const auto* method = std::find_if(std::begin(methods), std::end(methods),
                                    [&](const Method& m) { return m.info.name == settings.name; });
  if (method == std::end(methods)) refuse_name(settings.name);
  check_positive(settings.step, "step", " s");
  if (settings.max_step != std::numeric_limits<double>::infinity())
    check_positive(settings.max_step, "longest step", " s");
  if (!method->info.fixed_step) {
    check_positive(settings.relative_tolerance, "relative tolerance", "");
    check_positive(settings.absolute_tolerance, "absolute tolerance", "");
  }
  return method->make(ode, settings);
}

bool Integrator::check_limit(double t_limit) {
  if (std::isfinite(t_limit) && t_limit > time_) return true;
  return fail(fmt::format("cannot step from t = {:.9g} s to t = {:.9g} s, which is not later", time_, t_limit));
}

bool Integrator::check_within_step(double t) {
  if (t >= previous_time_ && t <= time_) return true;
  return fail(fmt::format("t = {:.9g} s lies outside the last step, from {:.9g} s to {:.9g} s", t, previous_time_,
                          time_));
}

bool Integrator::is_now(double t) const { return std::abs(t - time_) <= 1e-12 * std::max(1.0, std::abs(time_)); }

}  // namespace polyform::host
