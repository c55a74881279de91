#include "framework/host/simulation/evaluate.hpp"

#include <fmt/format.h>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/not_finite.hpp"
#include "framework/host/evaluation/solver_check.hpp"
#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/simulation/placed_failure.hpp"
#include "framework/host/unilateral/unilateral_motion.hpp"
#include "polyform/contract/near_rows.hpp"

namespace polyform::host::inline simulation {

std::string note_of_chosen_rates(const System& system) {
  if (system.chosen_rates().empty()) return {};
  return fmt::format(
      ". The model gives no initial velocity for joints that its constraints leave open at the start, and polyform "
      "took {} "
      "(the nearest motion in the inertia metric): where the mechanism cannot move so, give these joints initial "
      "velocities (initial.velocity) that it can have",
      system.chosen_rates());
}

std::string note_of_formula() {
  const std::string cause = last_trouble(0);
  return cause.empty() ? std::string{} : fmt::format(".\nA formula has no value: {}", cause);
}

/// Forces of one state are found as by events. Elements of many contacts have none while they touch nothing; an
/// integrator finds them in steps alone, so a state in which they touch is refused.
static UnilateralUse use_at(double t, const System& system, Solver& solver, std::span<const double> y) {
  bool any = false;
  for (const ForceInstances& group : system.view().forces) any = any || NearRows::are_of(*group.type);
  if (!any) return UnilateralUse::events;
  UnilateralSet all(system.view(), t, system.initial_state(), solver, UnilateralUse::steps);
  all.find_near(t, y, 0);
  if (!all.near_element().empty())
    throw Failure(
        Exit::bad_input,
        fmt::format("the contacts of `{}` touch as drawn. They are one element of the law rigid, whose forces "
                    "only an integrator finds in its steps",
                    all.near_element()),
        "Give 'contacts' 'results: each', or the law hunt-crossley.");
  return UnilateralUse::apart;
}

static Evaluation evaluate_at_start(const System& system, Solver& solver, ObservationStore& store) {
  clear_trouble();
  const double t = system.start_time();
  std::vector<double> y(solver.state_size());
  encode_start(t, solver, system.initial_state(), y);
  SolverOde ode(solver, system.view());
  UnilateralMotion touching(system.view(), t, system.initial_state(), solver, ode, use_at(t, system, solver, y));
  if (!touching.empty()) {
    y.resize(ode.size());
    touching.renew(t, y);
    touching.put(t, y);
    y.resize(solver.state_size());
  }
  if (solver.observe(t, y, store.now()) != Status::ok)
    throw Failure(Exit::simulation_failed,
                  fmt::format("the accelerations at the initial state cannot be found: {}{}{}", solver.failure(),
                              note_of_chosen_rates(system), note_of_formula()));
  if (const auto trouble = not_finite(system.view(), store.now()))
    throw Failure(Exit::simulation_failed,
                  fmt::format("at the initial state {}{}", std::string_view(*trouble), note_of_formula()));
  SolverCheck check(system.view(), solver);
  check.check(t, store.now());
  return {check.report(), touching.tally().open(), touching.tally().warnings()};
}

Evaluation evaluate(const System& system, Solver& solver, ObservationStore& store) {
  return with_places(system, [&] { return evaluate_at_start(system, solver, store); });
}

}  // namespace polyform::host::simulation
