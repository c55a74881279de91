#include "framework/host/simulation/lane_runs.hpp"

#include <utility>

#include "framework/host/evaluation/solver_ode.hpp"

namespace polyform::host::inline simulation {

LaneRuns::LaneRuns(BatchEvaluation& batch, const SystemView& view, const IntegratorChoice& choice)
    : system_(batch, choice),
      view_(view),
      choice_(choice),
      runs_(batch.lanes()),
      ended_(batch.lanes()),
      limits_(batch.lanes()),
      results_(batch.lanes()) {}

bool LaneRuns::has_method(const IntegratorChoice& choice) {
  return choice.type != nullptr && choice.type->query(BatchIntegration::interface_name) != nullptr;
}

bool LaneRuns::begin(std::size_t lane, const System& system, Solver& solver, const RunSettings& settings,
                     std::span<RowSink* const> sinks, const RunControl& control) {
  if (settings.integrator.type != choice_.type || settings.integrator.given != choice_.given)
    return refuse("its integrator is another one");
  if (solver.state_size() != system_.batch().state_size() || may_do_work(system.view()) != may_do_work(view_))
    return refuse("its state is another one");
  if (system_.batch().set_world(lane, solver) != Status::ok) return refuse(system_.batch().failure());
  RunSettings in_lane = settings;
  in_lane.integrator = system_.choice_for(lane);
  ended_[lane] = 0;
  runs_[lane] = std::make_unique<StepwiseRun>(system, solver, std::move(in_lane), sinks, control);
  prepare(lane);
  return true;
}

void LaneRuns::prepare(std::size_t lane) { ended_[lane] = runs_[lane]->prepare() ? 0 : 1; }

void LaneRuns::step() {
  constexpr double rests = -1;  // a limit before any time of a run: the lane rests
  bool any = false;
  for (std::size_t k = 0; k < lanes(); ++k) {
    const bool goes_on = runs_[k] != nullptr && ended_[k] == 0;
    limits_[k] = goes_on ? runs_[k]->limit() : rests;
    any = any || goes_on;
  }
  if (!any) return;
  system_.integrators().step(limits_, results_);
  for (std::size_t k = 0; k < lanes(); ++k) {
    if (results_[k] != LaneStep::done && results_[k] != LaneStep::failed) continue;
    runs_[k]->step();
    prepare(k);
  }
}

std::optional<RunRecord> LaneRuns::take(std::size_t lane) {
  if (runs_[lane] == nullptr || ended_[lane] == 0) return std::nullopt;
  RunRecord record = runs_[lane]->finish();
  runs_[lane].reset();
  return record;
}

}  // namespace polyform::host::inline simulation
