#include "framework/host/simulation/run_failure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/dependent_rows.hpp"
#include "framework/host/assembly/singular_position.hpp"
#include "framework/host/assembly/strained_rows.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/watches/element_failures.hpp"

namespace polyform::host::inline simulation {

namespace {

/// Where the tolerance that the part gives by itself does not do: a hundred times more.
constexpr double much_wider = 1e4;

/// What a solver that knows one step alone thinks of gives way to what the run knows.
void leave_out_likely_causes(std::string& failure) {
  if (const std::size_t begin = failure.find(". Likely cause"); begin != std::string::npos) failure.resize(begin);
}

/// Tells of loops that were held together at the start by rows that all but depend on others, and could not be held
/// together farther on: rounded lengths or axes make them contradict each other. Else of a singular position, at the
/// last step that was made. Whether something is named.
bool explain_position(RunRecord& record, const SystemView& view, const MomentOfRun& start, Solver& solver,
                      RunMotion& motion, RunRows& rows) {
  if (!motion.begun() || (view.cut_joints().empty() && view.constraints.empty())) return false;
  const std::string said(motion.equations().last_failure());
  if (!motion.integrator().state_at(motion.time(), motion.y())) return false;
  const StateView state = rows.state();
  if (solver.decode(motion.solver_states(), state) != Status::ok) return false;
  // Of rows that are off by more than a hundred times their rounding; the tolerances of solvers are ten times that.
  constexpr double least = 1e-11;
  const bool is_of_solver = !said.empty() && record.failure.find(said) != std::string::npos;
  const NearlyDependent row = nearly_dependent(view, start.time, start.state, least);
  if (is_of_solver && row.part > 0 && nearly_dependent(view, motion.time(), as_const(state), least).part > 0) {
    leave_out_likely_causes(record.failure);
    record.failure += fmt::format(
        ". The cause is likely the model: what {} `{}` constrains depends on the other constraints to {:.1e} of its size from "
        "the start on, so it is taken as dependent; a length or an axis that is off by about that keeps the loop from "
        "being closed farther on",
        row.kind, row.name, row.part);
    record.remedy = fmt::format(
        "Write lengths and axes with more digits, or let the solver leave the loop open by more: --option "
        "tolerance={:.0e}.",
        much_wider * row.part);
  } else if (is_next_to_singular(view, motion.time(), as_const(state))) {
    const ConstStateView here = as_const(state);
    const std::vector<std::string> rows_there = nearly_dependent_rows(view, start, {here, motion.time()});
    // What depends on each other at the start already is no matter of the position.
    if (rows_there.empty() && is_next_to_singular(view, start.time, start.state)) return false;
    record.failure += fmt::format(
        ". The cause is likely the position: at t = {:.6g} s the mechanism is next to a limit position or another "
        "singular one, where its constraints all but depend on each other",
        motion.time());
    if (rows_there.empty()) return false;
    record.failure += fmt::format(": {}", fmt::join(rows_there, " and "));
    record.remedy =
        "Change a length, or a motion that is prescribed, so that the position is not reached; or drive by a force; or "
        "end the run before it (--duration).";
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool explain_failure(RunRecord& record, const SystemView& view, const MomentOfRun& start, Solver& solver,
                     RunMotion& motion, RunRows& rows) {
  const bool is_position = explain_position(record, view, start, solver, motion, rows);
  const double since = motion.begun() ? motion.integrator().previous_time() : 0;
  if (const std::string_view cause = element_failure(view, since); !cause.empty()) {
    record.failure += fmt::format(".\nThe cause: {}", cause);
    record.remedy.clear();
    return true;
  }
  // The formula that has no value at the end of the run, or next to it.
  std::string cause = last_trouble(since);
  const bool has_value = cause.empty();
  if (has_value && motion.begun() && motion.integrator().state_at(motion.time(), motion.y())) {
    const LookForStrained look;
    std::vector<double> rates(motion.y().size());
    motion.equations().derivative(motion.time(), motion.y(), rates);
    cause = last_trouble(since);
  }
  if (cause.empty()) return is_position;
  record.failure += fmt::format(".\nA formula {}: {}",
                                has_value ? "is huge or next to a place where it has no value" : "has no value", cause);
  record.remedy = keep_in_domain;
  return true;
}

void explain_stall(RunRecord& record, const RunMotion& motion, RunWatches& watches) {
  if (!motion.begun() || motion.integrator().failed_step() != StepFailure::stalled) return;
  const std::string element = watches.fastest_element();
  if (element.empty()) return;
  record.failure += fmt::format(". What changes most there is {}", element);
  record.remedy = fmt::format(
      "Look at what {} asks for at this time: a softer or smoother law lets the run go on; or end it before "
      "(--duration).",
      element);
}

void add_later_failures(RunRecord& record) {
  for (const std::string& text : record.later_failures)
    if (record.failure.find(text) == std::string::npos) record.failure += fmt::format(".\nAfter that: {}", text);
  record.later_failures.clear();
}

}  // namespace polyform::host::inline simulation
