// What an integrator does after a restart and after a step that failed.
#include <algorithm>
#include <cmath>

#include "framework/workbench/conformance/integrator_checks.hpp"

namespace polyform::host::inline conformance {

namespace {

/// Checks a fall that an event within a step turns upward, and a second start.
void see_restart(const IntegratorChoice& choice, const StepSettings& settings, Measure& m) {
  Fall ball;
  Method method(choice, ball, settings);
  method.start(0, ball.solution(0));
  while (method.raw().time() < 0.7) method.step(1);
  const double from = method.raw().previous_time(), at = from + 0.6 * (method.raw().time() - from);
  const std::vector<double> y = method.inside(0.6);
  m.see(distance(y, ball.solution(at)), "between steps the motion is another");
  ball.up = true;
  method.restart(at, y, 0.01);
  const auto see = [&](double t, std::span<const double> now) {
    const double s = t - at;
    const double expected[] = {y[0] + y[1] * s + s * s / 2, y[1] + s};
    m.see(distance(now, expected), "after a restart at which a force has jumped the motion is another");
  };
  while (method.raw().time() < 2) {
    method.step(2);
    see(method.raw().time(), method.state());
    see(method.raw().previous_time(), method.inside(0));
  }
  ball.up = false;
  method.start(0, ball.solution(0));
  m.see(static_cast<double>(method.raw().rejected()), "rejected() is not counted from the start");
  while (method.raw().time() < 1) {
    method.step(1);
    m.see(distance(method.state(), ball.solution(method.raw().time())), "after a second start the motion is another");
  }
}

/// Whether steps of one length follow a fall exactly, like those of a one-step method of order 2 and more.
bool falls_exactly(const IntegratorChoice& choice) {
  Fall ball;
  return run_errors(choice, ball, steps_of(some_step), 1).at_ends < 1e-12;
}

}  // namespace

void check_restart(const IntegratorChoice& choice, Checklist& list) {
  list.claim("after a restart nothing of before counts", 1e-6,
             "in restart() forget derivatives, order and history: forces may have jumped", [&](Measure& m) {
               see_restart(choice, usual(choice), m);
               // Control of errors would make up for what the method kept: here it has none.
               if (falls_exactly(choice)) see_restart(choice, steps_of(some_step), m);
             });
}

void check_failures(const IntegratorChoice& choice, Checklist& list) {
  list.claim("a step that fails is told and leaves all as it was", 0,
             "return Status::failed with the system's sentence in failure(); time() and state() stay those of the last "
             "step; repeat a failed step only while it becomes shorter",
             [&](Measure& m) {
               for (const auto& problem : problems()) {
                 problem->wall = 0.9;
                 Method method(choice, *problem, usual(choice));
                 method.start(0, problem->solution(0));
                 std::vector<double> last;
                 double time = 0;
                 for (std::size_t steps = 0;; ++steps) {
                   last.assign(method.state().begin(), method.state().end());
                   time = method.raw().time();
                   if (time > 0.9 + some_step || steps > 100'000 || method.fails(1.5)) break;
                 }
                 m.see(time <= 0.9 + some_step ? 0 : 1, "a derivative that failed is passed over");
                 m.see(method.raw().time() == time && std::ranges::equal(method.state(), last) ? 0 : 1,
                       "after a step that failed the time or the state is another");
                 m.see(method.raw().failure().find(KnownSystem::reason) != std::string_view::npos ? 0 : 1,
                       "failure() does not tell why the derivative failed");
                 // A place at which it has failed may be used again.
                 problem->wall = 1e300;
                 method.start(0, problem->solution(0));
                 method.run(1);
                 m.see(distance(method.state(), problem->solution(1)) < 1e-3 ? 0 : 1,
                       "after a failure a new start gives a wrong motion");
               }
             });
}

}  // namespace polyform::host::conformance
