#include "framework/host/simulation/run_watches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "framework/diagnostics.hpp"
#include "framework/original_process.hpp"
#include "polyform/helpers/guarded.hpp"

namespace polyform::host::inline simulation {

RunWatches::RunWatches(const SystemView& view, Solver& solver, RunMotion& motion, const RunSettings& run,
                       const StepSettings& step, std::span<const ElementEvents::Source> sources)
    : motion_(motion),
      fixed_step_(run.integrator.fixed_step()),
      pace_(run.end_time()),
      stability_(motion.equations(), motion.integrator()),
      scales_(view),
      repeated_(view, solver, motion),
      arithmetic_(floating_point_control()) {
  if (!view.cut_joints().empty())
    singular_.emplace(view, solver, run.integrator.fixed_step() ? 0 : step.relative_tolerance);
  for (const ElementEvents::Source& source : sources) scales_.add(source);
  // The error of a step in which something touches is of the first order, whatever its length.
  if (fixed_step_ && motion.stepped().empty())
    check_.emplace(repeated_.driven, run.integrator, step, run.duration / std::min(run.step, run.max_step));
  else if (!fixed_step_)
    longest_allowed_ = scales_.longest_step(run.duration);
}

void RunWatches::look(const std::function<std::string()>& held_by) {
  Integration& integrator = motion_.integrator();
  longest_ = std::max(longest_, integrator.time() - integrator.previous_time());
  if (singular_ && !singular_->empty()) singular_->look(integrator);
  pace_.look(integrator.time(), integrator.statistics().evaluations, motion_.equations());
  if (!fixed_step_) stability_.look();
  if (const auto text = pace_.out_of_reach(!motion_.touching().empty())) {
    const std::string guard = held_by();
    if (!guard.empty())
      throw Failure(Exit::simulation_failed, fmt::format("{}: the guard of {} bounds them", *text, guard),
                    "Its fields or its motion ask for steps that lead nowhere; if not, report this to its author.");
    throw Failure(Exit::simulation_failed, fmt::format("{}: {}", *text, stability_.fastest()),
                  "Look for the stiffness, damping, rate or speed that is far beyond all others, often a wrong unit, "
                  "or for a body that it moves and that has next to no inertia.");
  }
  if (const std::size_t steps = integrator.statistics().steps; check_ && check_->due(steps) && !beside_singular())
    check_->look(integrator, steps);
  if (floating_point_control() != arithmetic_)
    throw Failure(Exit::simulation_failed,
                  fmt::format("a plugin has changed how numbers are computed (rounding, traps), by t = {:.6g} s",
                              integrator.time()),
                  "Report this to the author of the plugin: what it changes in the process it has to put back.");
}

void RunWatches::look_at_peak(bool narrow) {
  if (!check_ || beside_singular()) return;
  Integration& integrator = motion_.integrator();
  if (narrow)
    check_->look_at_peak(integrator, integrator.statistics().steps);
  else
    check_->look_at_bend(integrator, integrator.statistics().steps);
}

void RunWatches::begin_anew() {
  if (singular_) singular_->begin_anew();
}

/// There the solution is not smooth, and rounding moves states that symmetry keeps at rest: what a shorter step changes
/// tells nothing about the step.
bool RunWatches::beside_singular() const { return singular_ && singular_->beside(); }

bool RunWatches::explain_energy(double moved, std::size_t steps) const {
  return (singular_ && singular_->tells_energy(moved)) || (check_ && check_->warning(steps));
}

std::vector<std::string> RunWatches::warnings(double moved, std::size_t steps) const {
  std::vector<std::string> all;
  if (singular_) all = singular_->warnings(moved);
  std::ranges::copy(scales_.warnings(longest_), std::back_inserter(all));
  if (check_)
    if (auto text = check_->warning(steps)) all.push_back(std::move(*text));
  return all;
}

}  // namespace polyform::host::inline simulation
