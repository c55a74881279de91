// An integrator on systems whose solution is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/integrator_checks.hpp"

namespace polyform::host::inline conformance {

namespace {

void check_tolerances(const IntegratorChoice& choice, Checklist& list) {
  constexpr std::string_view errors_follow = "its errors follow the tolerances";
  if (choice.fixed_step()) {
    list.unsupported(errors_follow, "not applicable: it takes fixed steps");
    return;
  }
  // An error of each step adds up over many steps and grows with the motion. A method of low order takes more than the
  // two thousand steps that are allowed for.
  constexpr double grown = 2000;
  const auto share = [](double error, const RunErrors& errors) {
    return error / std::max(1.0, static_cast<double>(errors.steps) / grown);
  };
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
                   m.see(share(errors.at_ends, errors) / tolerance, say("at the ends of steps"));
                   m.see(share(errors.between, errors) / tolerance / 10, say("between steps"));
                   m.see(errors.at_ends < before / 10 ? 0 : INFINITY, say("hardly falls and"));
                   before = errors.at_ends;
                 }
                 // From a first step that is far too long.
                 StepSettings settings = tolerance_of(1e-7);
                 settings.step = duration;
                 const RunErrors errors = run_errors(choice, *problem, settings, duration);
                 m.see(share(errors.at_ends, errors) / 1e-7, [&] {
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
                          Canaries lent;
                          const std::span<double> y = lent.numbers("y", problem->solution(0));
                          method.start(0, problem->solution(0));
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
                          lent.check("state_at()");
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

}  // namespace polyform::host::conformance
