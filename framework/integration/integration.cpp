#include "framework/integration/integration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/diagnostics.hpp"

namespace polyform::host {

namespace {

void check_positive(double value, std::string_view what, std::string_view unit) {
  if (std::isfinite(value) && value > 0) return;
  throw Failure(Exit::bad_input, fmt::format("the {} is {}{}; expected a number greater than 0", what, value, unit));
}

void check(const IntegratorChoice& choice, const StepSettings& settings) {
  if (choice.type == nullptr)
    throw Failure(Exit::plugin, "no integrator plugin was found",
                  "polyform plugins shows where plugins were looked for and why a file was refused.");
  check_positive(settings.step, "step", " s");
  if (settings.max_step != std::numeric_limits<double>::infinity())
    check_positive(settings.max_step, "longest step", " s");
  if (choice.fixed_step()) return;
  check_positive(settings.relative_tolerance, "relative tolerance", "");
  check_positive(settings.absolute_tolerance, "absolute tolerance", "");
}

}  // namespace

Integration::Integration(Ode& ode, const IntegratorChoice& choice, const StepSettings& settings) : system_(ode) {
  check(choice, settings);
  Diagnostics diagnostics;
  method_.reset(choice.type->create(system_, settings, choice.options, diagnostics));
  if (method_) return;
  const bool said = !diagnostics.all().empty();
  throw Failure(Exit::simulation_failed,
                said ? std::string(diagnostics.all().front().message)
                     : fmt::format("the integrator {} could not be set up and gave no reason", choice.name()),
                said ? std::string(diagnostics.all().front().remedy) : "Perhaps memory ran out.");
}

bool Integration::done(Status status) {
  if (status == Status::ok) return true;
  failure_ = method_->failure();
  return false;
}

void Integration::start(double t, std::span<const double> y) {
  steps_ = 0;
  system_.begin_count();
  if (!done(method_->start(t, y))) throw Failure(Exit::simulation_failed, failure_);
}

void Integration::restart(double t, std::span<const double> y, double first_step) {
  interpolation_evaluated_ = false;
  if (!done(method_->restart(t, y, first_step))) throw Failure(Exit::simulation_failed, failure_);
}

bool Integration::step(double t_limit) {
  if (!std::isfinite(t_limit) || !(t_limit > time())) {
    failure_ =
        fmt::format("cannot step from t = {:.9g} s to t = {:.9g} s, which is not later", time(), t_limit);
    return false;
  }
  interpolation_evaluated_ = false;
  if (!done(method_->step(t_limit))) return false;
  ++steps_;
  return true;
}

bool Integration::state_at(double t, std::span<double> y) {
  if (std::abs(t - time()) <= 1e-12 * std::max(1.0, std::abs(time()))) {
    std::ranges::copy(state(), y.begin());
    return true;
  }
  if (t >= previous_time() && t <= time()) {
    const std::size_t before = system_.evaluations();
    const bool known = done(method_->state_at(t, y));
    interpolation_evaluated_ = interpolation_evaluated_ || system_.evaluations() > before;
    return known;
  }
  failure_ = fmt::format("t = {:.9g} s lies outside the last step, from {:.9g} s to {:.9g} s", t, previous_time(),
                         time());
  return false;
}

}  // namespace polyform::host
