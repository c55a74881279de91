// An integrator on systems whose solution is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "framework/conformance/allocation_count.hpp"
#include "framework/conformance/batteries.hpp"
#include "framework/conformance/integrator_probe.hpp"
#include "framework/diagnostics.hpp"
#include "framework/simulation/integrator_selection.hpp"

namespace polyform::host {

namespace {

constexpr double duration = 4;           ///< of the runs, s: more than half a turn of the ellipse
constexpr double some_tolerance = 1e-8;  ///< of runs that look at something else than errors
constexpr double some_step = 0.02;       ///< of the same with fixed steps, s

/// An order measured between errors of these sizes is neither that of long steps nor of rounding.
constexpr double largest_error = 3e-2, rounding_error = 5e-13;

StepSettings usual(const IntegratorChoice& choice) {
  return choice.fixed_step() ? steps_of(some_step) : tolerance_of(some_tolerance);
}

std::vector<std::unique_ptr<KnownSystem>> problems() {
  std::vector<std::unique_ptr<KnownSystem>> all;
  all.push_back(std::make_unique<Ellipse>());
  all.push_back(std::make_unique<DrivenDisc>());
  return all;
}

/// Orders of convergence at the ends of steps and between them.
struct Orders {
  double at_ends = 0, between = 0;
};

/// Steps of one length, halved again and again. Nothing where errors do not fall: a method whose order is chosen by the
/// tolerance.
std::optional<Orders> orders_by_steps(const IntegratorChoice& choice, KnownSystem& problem) {
  std::optional<Orders> found;
  RunErrors before{INFINITY, INFINITY, 0};
  Orders last;
  for (double step = 1; step > 2e-5; step /= 2) {
    const RunErrors now = run_errors(choice, problem, steps_of(step), duration);
    if (now.at_ends < rounding_error || now.between < rounding_error) break;
    if (now.at_ends < largest_error && before.at_ends < largest_error) {
      const Orders here{std::log2(before.at_ends / now.at_ends), std::log2(before.between / now.between)};
      // The finest steps tell the order, but those where the next term of the error happens to cancel.
      found = {std::max(here.at_ends, (here.at_ends + last.at_ends) / 2),
               std::max(here.between, (here.between + last.between) / 2)};
      last = here;
    }
    if (now.at_ends < 1e-9 && choice.type->order() < 4) break;
    before = now;
  }
  if (found && found->at_ends < 1.5 && choice.type->order() > 1) return std::nullopt;
  return found;
}

/// From how many steps a smaller error costs.
double order_by_work(const IntegratorChoice& choice, KnownSystem& problem) {
  const RunErrors rough = run_errors(choice, problem, tolerance_of(1e-5), duration);
  const RunErrors fine = run_errors(choice, problem, tolerance_of(1e-10), duration);
  return std::log(rough.at_ends / fine.at_ends) /
         std::log(static_cast<double>(fine.steps) / static_cast<double>(rough.steps));
}

void check_order(const IntegratorChoice& choice, Checklist& list) {
  const int order = choice.type->order();
  list.claim("its order is what it says, at the ends of steps and between", 0.35,
             "look at the coefficients, at the times of the stages, and that integrals and states of first order are "
             "treated as all others; between steps one order less is enough",
             [&](Measure& m) {
               m.see(order >= 1 && order <= 30 ? 0 : 1, [&] { return fmt::format("order() is {}", order); });
               const char* const names[] = {"an ellipse of two bodies", "a driven disc"};
               for (std::size_t i = 0; const auto& problem : problems()) {
                 const char* const name = names[i++];
                 if (const auto orders = orders_by_steps(choice, *problem)) {
                   m.see(std::max(0.0, order - orders->at_ends), [&] {
                     return fmt::format("{}: it says {}, its steps are of order {:.2f}", name, order, orders->at_ends);
                   });
                   m.see(std::max(0.0, order - 1 - orders->between), [&] {
                     return fmt::format("{}: it says {}, between steps it is of order {:.2f}", name, order,
                                        orders->between);
                   });
                 } else if (choice.fixed_step()) {
                   m.see(INFINITY, [&] { return fmt::format("{}: errors do not fall with the step", name); });
                 } else {
                   // A method that chooses its order is below the highest one most of the time.
                   const double by_work = order_by_work(choice, *problem);
                   m.see(std::max(0.0, order / 2.0 - by_work), [&] {
                     return fmt::format("{}: it says {}, its errors fall with the steps as of order {:.2f}", name,
                                        order, by_work);
                   });
                 }
               }
             });
}

void check_tolerances(const IntegratorChoice& choice, Checklist& list) {
  constexpr std::string_view errors_follow = "its errors follow the tolerances";
  if (choice.fixed_step()) {
    list.unsupported(errors_follow, "not applicable: it takes fixed steps");
    return;
  }
  // An error of each step adds up over many steps and grows with the motion.
  constexpr double grown = 2000;
  list.claim(errors_follow, grown,
             "compare an estimate of each step's error with absolute + relative tolerance times the state, the largest "
             "of all states or a mean; repeat steps that fail",
             [&](Measure& m) {
               for (const auto& problem : problems()) {
                 double before = INFINITY;
                 for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
                   const RunErrors errors = run_errors(choice, *problem, tolerance_of(tolerance), duration);
                   const auto say = [&](const char* where) {
                     return [&, where] {
                       return fmt::format("with the tolerance {:g} the error {} is {:.1e}", tolerance, where,
                                          std::max(errors.at_ends, errors.between));
                     };
                   };
                   m.see(errors.at_ends / tolerance, say("at the ends of steps"));
                   m.see(errors.between / tolerance / 10, say("between steps"));
                   m.see(errors.at_ends < before / 10 ? 0 : INFINITY, say("hardly falls and"));
                   before = errors.at_ends;
                 }
                 // From a first step that is far too long.
                 StepSettings settings = tolerance_of(1e-7);
                 settings.step = duration;
                 const RunErrors errors = run_errors(choice, *problem, settings, duration);
                 m.see(errors.at_ends / 1e-7, [&] {
                   return fmt::format("after a first step that is too long the error is {:.1e}", errors.at_ends);
                 });
               }
             });
}

void check_limits(const IntegratorChoice& choice, Checklist& list) {
  list.claim("steps end at their limits, and none is longer than allowed", 0,
             "the step that would pass t_limit ends exactly there; StepSettings::max_step bounds every step",
             [&](Measure& m) {
               for (const auto& problem : problems()) {
                 StepSettings settings = choice.fixed_step() ? usual(choice) : tolerance_of(1e-5);
                 settings.max_step = 0.015;
                 Method method(choice, *problem, settings);
                 method.start(0.25, problem->solution(0.25));
                 double longest = 0;
                 // Outputs and knots lie anywhere, next to each other and on the method's own step ends.
                 for (const double limit : {0.26, 0.26 + 1e-7, 0.3, 0.33, 0.7, 0.7 + 1e-10, 1.0}) {
                   while (method.raw().time() < limit) {
                     method.step(limit);
                     longest = std::max(longest, method.raw().time() - method.raw().previous_time());
                   }
                   m.see(method.raw().time() == limit ? 0 : 1, "a run does not end at its limit");
                   m.see(distance(method.state(), problem->solution(limit)) < 1e-2 ? 0 : 1,
                         [&] { return fmt::format("at the limit of {:.17g} s the state is wrong", limit); });
                 }
                 m.see(longest <= settings.max_step * (1 + 1e-6) ? 0 : 1, [&] {
                   return fmt::format("a step is {:.3g} s long, {:.3g} s are allowed", longest, settings.max_step);
                 });
               }
             });
}

void check_correction(const IntegratorChoice& choice, Checklist& list) {
  list.claim(
      "each step is corrected once, at its end, and goes on from there", 0,
      "call correct() for each accepted step with the time of its end, keep what it leaves as state(), and begin "
      "the next step there",
      [&](Measure& m) {
        DrivenDisc disc;
        Method method(choice, disc, usual(choice));
        method.start(0, disc.solution(0));
        while (method.raw().time() < 1) {
          const std::size_t before = disc.corrections;
          method.step(1);
          m.see(disc.corrections > before && disc.last_correction == method.raw().time() ? 0 : 1,
                "a step was not corrected, or at another time");
          const double length = std::hypot(method.state()[0], method.state()[1]);
          m.see(std::abs(length - 1) < 4e-16 ? 0 : 1, "state() is not what correct() left");
        }
      });
}

/// The end of a step and its start, as the method gives them between steps.
void check_between(const IntegratorChoice& choice, Checklist& list) {
  list.claim("what is asked between steps changes no step and meets their ends", 1e-9,
             "state_at() works beside what the next step begins with; at previous_time() it is the state of then",
             [&](Measure& m) {
               for (std::size_t i = 0; i < 2; ++i) {
                 const auto first = problems(), second = problems();
                 Method plain(choice, *first[i], usual(choice)), asked(choice, *second[i], usual(choice));
                 plain.start(0, first[i]->solution(0));
                 asked.start(0, second[i]->solution(0));
                 while (plain.raw().time() < duration) {
                   const std::vector<double> before(asked.state().begin(), asked.state().end());
                   plain.step(duration);
                   asked.step(duration);
                   for (const double share : {0.9, 0.1, 0.5}) asked.inside(share);
                   m.see(distance(asked.inside(0), before), "at the start of a step it is not the state of then");
                   const bool equal =
                       plain.raw().time() == asked.raw().time() && std::ranges::equal(plain.state(), asked.state());
                   m.see(equal ? 0 : 1, "after a question between steps the next step is another");
                   if (!equal) break;
                 }
               }
             });
}

/// A fall that is turned upward by an event within a step, and a second start.
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

/// Whether steps of one length follow a fall exactly, as those of a one-step method of order 2 and more do.
bool falls_exactly(const IntegratorChoice& choice) {
  Fall ball;
  return run_errors(choice, ball, steps_of(some_step), 1).at_ends < 1e-12;
}

void check_restart(const IntegratorChoice& choice, Checklist& list) {
  list.claim("after a restart nothing of before counts", 1e-6,
             "in restart() forget derivatives, order and history: forces may have jumped", [&](Measure& m) {
               see_restart(choice, usual(choice), m);
               // Where no control of errors makes up for what was kept.
               if (falls_exactly(choice)) see_restart(choice, steps_of(some_step), m);
             });
}

void check_determinism(const IntegratorChoice& choice, Checklist& list) {
  list.claim("the same run gives the same numbers, alone or beside another", 0,
             "a method keeps its memory in itself: no static variables, no random numbers, no clock", [&](Measure& m) {
               const auto whole = [&](KnownSystem& problem) {
                 Method method(choice, problem, usual(choice));
                 method.start(0, problem.solution(0));
                 method.run(duration);
                 return std::vector<double>(method.state().begin(), method.state().end());
               };
               const auto alone = problems(), together = problems();
               const std::vector<double> ellipse = whole(*alone[0]), disc = whole(*alone[1]);
               m.see(whole(*alone[0]) == ellipse ? 0 : 1, "a second run gives other numbers");
               Method a(choice, *together[0], usual(choice)), b(choice, *together[1], usual(choice));
               a.start(0, together[0]->solution(0));
               b.start(0, together[1]->solution(0));
               while (a.raw().time() < duration || b.raw().time() < duration)
                 for (Method* one : {&a, &b})
                   if (one->raw().time() < duration) one->step(duration);
               const bool same = std::ranges::equal(a.state(), ellipse) && std::ranges::equal(b.state(), disc);
               m.see(same ? 0 : 1, "two methods in turns give other numbers than each alone");
               // The one that was used before begins anew.
               a.start(0, together[0]->solution(0));
               a.run(duration);
               m.see(std::ranges::equal(a.state(), ellipse) ? 0 : 1, "after a second start it gives other numbers");
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
                 // What failed once may be used again.
                 problem->wall = 1e300;
                 method.start(0, problem->solution(0));
                 method.run(1);
                 m.see(distance(method.state(), problem->solution(1)) < 1e-3 ? 0 : 1,
                       "after a failure a new start gives a wrong motion");
               }
             });
}

void check_sizes(const IntegratorChoice& choice, Checklist& list) {
  list.claim("a system without states goes through time", 0, "guard what divides by the number of states",
             [&](Measure& m) {
               Nothing nothing;
               Method method(choice, nothing, usual(choice));
               method.start(0, {});
               method.run(1);
               m.see(0, "");
             });
  claim_no_allocation(list, "nothing is allocated in steps and between them",
                      "make all memory in create() and keep it in the method", [&](Measure& m) {
                        for (const auto& problem : problems()) {
                          Method method(choice, *problem, usual(choice));
                          std::vector<double> y = problem->solution(0);
                          method.start(0, y);
                          // The first steps may make what depends on the start.
                          method.run(0.5);
                          Integrator& raw = method.raw();
                          see_allocations(allocations_of([&] {
                                            while (raw.time() < 1.5 && raw.step(1.5) == Status::ok)
                                              (void)raw.state_at(0.5 * (raw.previous_time() + raw.time()), y);
                                            std::ranges::copy(raw.state(), y.begin());
                                            (void)raw.restart(raw.time(), y, 0);
                                            while (raw.time() < 2.5 && raw.step(2.5) == Status::ok) {
                                            }
                                          }),
                                          m);
                        }
                      });
}

}  // namespace

void check_integrator(const IntegratorType& type, Checklist& list) {
  IntegratorChoice choice;
  const bool made =
      list.prepare("create() makes a method",
                   "create() has to give a method for a system of second order, or report why not", [&](Measure&) {
                     Diagnostics diagnostics;
                     choice = with_options(type, {}, diagnostics);
                     if (diagnostics.failed())
                       throw Failure(Exit::simulation_failed, std::string(diagnostics.all().front().message));
                     Ellipse ellipse;
                     Method method(choice, ellipse, usual(choice));
                     method.start(0, ellipse.solution(0));
                     method.step(1);
                   });
  if (!made) return;
  check_order(choice, list);
  check_tolerances(choice, list);
  check_limits(choice, list);
  check_correction(choice, list);
  check_between(choice, list);
  check_restart(choice, list);
  check_determinism(choice, list);
  check_failures(choice, list);
  check_sizes(choice, list);
}

}  // namespace polyform::host
