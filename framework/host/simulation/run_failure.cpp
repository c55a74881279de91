#include "framework/host/simulation/run_failure.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/singular_position.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/simulation/element_failures.hpp"

namespace polyform::host::inline simulation {

namespace {

/// At the last step that was made.
bool ended_next_to_singular(const SystemView& view, Solver& solver, RunMotion& motion, RunRows& rows) {
  if (!motion.begun() || (view.cut_joints().empty() && view.constraints.empty())) return false;
  if (!motion.integrator().state_at(motion.time(), motion.y())) return false;
  const StateView state = rows.state();
  if (solver.decode(motion.solver_states(), state) != Status::ok) return false;
  return is_next_to_singular(view, motion.time(), as_const(state));
}

}  // namespace

void explain_failure(RunRecord& record, const SystemView& view, Solver& solver, RunMotion& motion, RunRows& rows) {
  if (ended_next_to_singular(view, solver, motion, rows))
    record.failure += fmt::format(
        ". The cause is likely the position: at t = {:.6g} s the mechanism is next to a limit position or another "
        "singular one, where its constraints all but depend on each other",
        motion.time());
  const double since = motion.begun() ? motion.integrator().previous_time() : 0;
  if (const std::string_view cause = element_failure(view, since); !cause.empty()) {
    record.failure += fmt::format(".\nThe cause: {}", cause);
    record.remedy.clear();
    return;
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
  if (cause.empty()) return;
  record.failure += fmt::format(".\nA formula {}: {}",
                                has_value ? "is huge or next to a place where it has no value" : "has no value", cause);
  record.remedy = keep_in_domain;
}

void add_later_failures(RunRecord& record) {
  for (const std::string& text : record.later_failures)
    if (record.failure.find(text) == std::string::npos) record.failure += fmt::format(".\nAfter that: {}", text);
  record.later_failures.clear();
}

}  // namespace polyform::host::inline simulation
