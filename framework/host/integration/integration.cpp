#include "framework/host/integration/integration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "framework/diagnostics.hpp"
#include "polyform/contract/integrator_choice.hpp"
#include "polyform/helpers/least_tolerance.hpp"

namespace polyform::host::inline integration {

namespace {

// Relative to the time: two ends of a step that differ by less are the same time, computed in two ways.
constexpr double rounding_of_ends = 4 * std::numeric_limits<double>::epsilon();
// Relative to the time, or to a second: so far beyond the end of a step the state is still given.
constexpr double beyond_the_end = 1e-12;

void check_positive(double value, std::string_view what, std::string_view unit) {
  if (std::isfinite(value) && value > 0) return;
  throw Failure(Exit::bad_input, fmt::format("the {} is {}{}; expected a number greater than 0", what, value, unit));
}

void check(const IntegratorChoice& choice, const StepSettings& settings) {
  if (choice.type == nullptr) throw Failure(Exit::plugin, "no integrator plugin was found", remedies::see_plugins);
  check_positive(settings.step, "step", " s");
  if (settings.max_step != std::numeric_limits<double>::infinity())
    check_positive(settings.max_step, "longest step", " s");
  if (choice.fixed_step()) return;
  check_positive(settings.relative_tolerance, "relative tolerance", "");
  if (settings.relative_tolerance < least_relative_tolerance)
    throw Failure(Exit::bad_input, fmt::format("the relative tolerance is {}, finer than numbers are rounded; expected "
                                               "{:.1g} or more",
                                               settings.relative_tolerance, least_relative_tolerance));
  check_positive(settings.absolute_tolerance, "absolute tolerance", "");
}

}  // namespace

Integration::Integration(Ode& ode, const IntegratorChoice& choice, const StepSettings& settings)
    : system_(ode), discrete_(ode.discrete()) {
  check(choice, settings);
  begin_discrete();
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
  auto* const its = ask<FailedStep>(*method_);
  return fail(std::string(method_->failure()), its == nullptr ? StepFailure::other : its->failed_step());
}

bool Integration::fail(std::string why, StepFailure kind) {
  failure_ = std::move(why);
  failed_step_ = kind;
  return false;
}

std::string Integration::choices() const {
  auto* const its = ask<IntegratorChoices>(*method_);
  return its == nullptr ? std::string() : std::string(its->choices());
}

void Integration::begin_discrete() {
  discrete_changed_ = false;
  if (discrete_ == nullptr) return;
  now_.assign(discrete_->values().begin(), discrete_->values().end());
  within_ = now_;
}

void Integration::stand(std::span<const std::int32_t> values) {
  if (discrete_ != nullptr && discrete_->set(values) != Status::ok)
    throw Failure(Exit::simulation_failed, "the solver does not take back a discrete state that it had before",
                  "Report this to the author of the formulation.");
}

void Integration::stand_at_end() { stand(now_); }

void Integration::start(double t, std::span<const double> y) {
  steps_ = 0;
  step_start_.assign(y.begin(), y.end());
  begin_discrete();
  system_.begin_count();
  if (!done(method_->start(t, y))) throw Failure(Exit::simulation_failed, failure_);
}

void Integration::restart(double t, std::span<const double> y, double first_step) {
  interpolation_evaluated_ = false;
  begin_discrete();
  if (!done(method_->restart(t, y, first_step))) throw Failure(Exit::simulation_failed, failure_);
}

bool Integration::begin_step() {
  interpolation_evaluated_ = false;
  stand(now_);
  within_ = now_;
  // Even if y has not changed, its derivative may have.
  if (std::exchange(discrete_changed_, false) && !done(method_->restart(time(), state(), 0))) return false;
  step_start_.assign(state().begin(), state().end());
  begun_ = true;
  return true;
}

bool Integration::step(double t_limit) {
  const bool begun = std::exchange(begun_, false);
  if (!std::isfinite(t_limit) || !(t_limit > time()))
    return fail(fmt::format("cannot step from t = {:.9g} s to t = {:.9g} s, which is not later", time(), t_limit),
                StepFailure::other);
  if (!begun && !begin_step()) return false;
  begun_ = false;
  if (!done(method_->step(t_limit))) {
    stand(now_);
    return false;
  }
  if (discrete_ != nullptr) std::ranges::copy(discrete_->values(), now_.begin());
  discrete_changed_ = now_ != within_;
  ++steps_;
  return true;
}

bool Integration::state_at(double t, std::span<double> y) {
  // A time before the end counts as the end only up to its rounding: events, and the steps across them, are far shorter
  // apart than anything else, and a sample before an event must not be one after it.
  const double end = std::abs(time());
  if (t >= time() - rounding_of_ends * end && t <= time() + beyond_the_end * std::max(1.0, end)) {
    stand(now_);
    std::ranges::copy(state(), y.begin());
    return true;
  }
  if (t >= previous_time() && t <= time()) {
    stand(within_);
    // An interpolation over a long step has rounding there that is larger than a gap just after an impact.
    if (t == previous_time() && step_start_.size() == y.size()) {
      std::ranges::copy(step_start_, y.begin());
      return true;
    }
    const std::size_t before = system_.evaluations();
    const bool known = done(method_->state_at(t, y));
    interpolation_evaluated_ = interpolation_evaluated_ || system_.evaluations() > before;
    return known;
  }
  return fail(
      fmt::format("t = {:.9g} s lies outside the last step, from {:.9g} s to {:.9g} s", t, previous_time(), time()),
      StepFailure::other);
}

}  // namespace polyform::host::integration
