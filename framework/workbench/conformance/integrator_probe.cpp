#include "framework/workbench/conformance/integrator_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "polyform/helpers/larger.hpp"

namespace polyform::host::inline conformance {

namespace {

constexpr std::size_t most_probe_steps = 2'000'000;  ///< of a run: no sound method needs as many here

}  // namespace

Method::Method(const IntegratorChoice& choice, KnownSystem& system, const StepSettings& settings)
    : name_(choice.name()), inside_(system.size()) {
  Diagnostics diagnostics;
  method_.reset(choice.type->create(system, settings, choice.options, diagnostics));
  if (!method_)
    fail(diagnostics.all().empty() ? "create() gives no method and no reason" : diagnostics.all().front().message);
}

void Method::fail(std::string_view what) const {
  throw Failure(Exit::simulation_failed, fmt::format("{}: {}", name_, what));
}

void Method::require(Status status, std::string_view call) const {
  if (status == Status::ok) return;
  const std::string_view why = method_->failure();
  fail(fmt::format("{} fails: {}", call, why.empty() ? "it says nothing" : why));
}

void Method::start(double t, std::vector<double> y) {
  require(method_->start(t, y), "start()");
  std::ranges::fill(y, 1e9);  // the method has to keep its own
  if (method_->time() != t || method_->previous_time() != t) fail("after start() its times are not that of the start");
}

void Method::restart(double t, const std::vector<double>& y, double first_step) {
  require(method_->restart(t, y, first_step), "restart()");
  if (method_->time() != t) fail("after restart() its time is not the one given");
  if (!std::ranges::equal(method_->state(), y)) fail("after restart() its state is not the one given");
}

void Method::step(double t_limit) {
  const double before = method_->time();
  require(method_->step(t_limit), "step()");
  const double now = method_->time();
  if (!(now > before)) fail(fmt::format("a step from t = {:.17g} s ends at {:.17g} s", before, now));
  if (now > t_limit) fail(fmt::format("a step goes beyond its limit of {:.17g} s, to {:.17g} s", t_limit, now));
  if (method_->previous_time() != before) fail("previous_time() is not where the step began");
}

std::size_t Method::run(double t_limit) {
  std::size_t steps = 0;
  for (; method_->time() < t_limit; ++steps) {
    if (steps == most_probe_steps) fail(fmt::format("it has come to t = {:.3g} s in {} steps", method_->time(), steps));
    step(t_limit);
  }
  return steps;
}

const std::vector<double>& Method::inside(double share) {
  Canaries guard;
  const std::span<double> y = guard.numbers("y", inside_.size(), 1e9);
  const double from = method_->previous_time();
  require(method_->state_at(from + share * (method_->time() - from), y), "state_at()");
  guard.check("state_at()");
  std::ranges::copy(y, inside_.begin());
  return inside_;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = larger(largest, std::abs(a[i] - b[i]));
  return largest;
}

RunErrors run_errors(const IntegratorChoice& choice, KnownSystem& system, const StepSettings& settings,
                     double duration) {
  Method method(choice, system, settings);
  method.start(0, system.solution(0));
  RunErrors errors;
  while (method.raw().time() < duration) {
    if (++errors.steps > most_probe_steps) return {INFINITY, INFINITY, errors.steps};
    method.step(duration);
    const double now = method.raw().time(), length = now - method.raw().previous_time();
    errors.at_ends = std::max(errors.at_ends, distance(method.state(), system.solution(now)));
    for (const double share : {0.2, 0.5, 0.85})
      errors.between =
          std::max(errors.between, distance(method.inside(share), system.solution(now - (1 - share) * length)));
  }
  return errors;
}

StepSettings steps_of(double step) {
  StepSettings settings{.step = step, .relative_tolerance = 1e6, .absolute_tolerance = 1e6};
  settings.max_step = step;
  return settings;
}

StepSettings tolerance_of(double tolerance) {
  return {.step = 1e-3, .relative_tolerance = tolerance, .absolute_tolerance = tolerance};
}

}  // namespace polyform::host::conformance
