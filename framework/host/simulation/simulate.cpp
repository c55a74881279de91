#include "framework/host/simulation/simulate.hpp"

#include <utility>

#include "framework/host/simulation/evaluate.hpp"
#include "framework/host/simulation/placed_failure.hpp"
#include "framework/host/simulation/run.hpp"
#include "framework/host/simulation/run_failure.hpp"

namespace polyform::host::inline simulation {

struct StepwiseRun::Parts {
  Parts(const System& of, Solver& solver, RunSettings given, std::span<RowSink* const> to, RunControl from)
      : system(of),
        settings(std::move(given)),
        sinks(to.begin(), to.end()),
        control(std::move(from)),
        run(system.view(), start, solver, settings, sinks, control) {}

  const System& system;
  const ConstStateView start = system.initial_state();
  const RunSettings settings;
  const std::vector<RowSink*> sinks;
  const RunControl control;
  Run run;
};

StepwiseRun::StepwiseRun(const System& system, Solver& solver, RunSettings settings, std::span<RowSink* const> sinks,
                         RunControl control)
    : parts_(std::make_unique<Parts>(system, solver, std::move(settings), sinks, std::move(control))) {
  parts_->run.leave_steps_untimed();
  parts_->run.begin();
}
StepwiseRun::~StepwiseRun() = default;
bool StepwiseRun::prepare() {
  if (!parts_->run.prepare()) return false;
  parts_->run.begin_step();
  return parts_->run.goes_on();
}
double StepwiseRun::limit() const { return parts_->run.limit(); }
void StepwiseRun::step() { parts_->run.go_on(); }
RunRecord StepwiseRun::finish() {
  RunRecord record = parts_->run.finish();
  if (record.end == End::failed && record.steps == 0) record.failure += note_of_chosen_rates(parts_->system);
  return record;
}

struct RunOnDemand::Parts {
  Parts(const SystemView& view, const ConstStateView& from, Solver& solver, RunSettings given,
        std::span<RowSink* const> to)
      : start(from),
        settings(std::move(given)),
        sinks(to.begin(), to.end()),
        run(view, start, solver, settings, sinks, control) {}

  const ConstStateView start;
  const RunSettings settings;
  const std::vector<RowSink*> sinks;
  const RunControl control{};
  Run run;
};

RunOnDemand::RunOnDemand(const SystemView& view, const ConstStateView& start, Solver& solver, RunSettings settings,
                         std::span<RowSink* const> sinks, const RunState* from)
    : parts_(std::make_unique<Parts>(view, start, solver, std::move(settings), sinks)) {
  if (from != nullptr) {
    parts_->run.begin_from(*from);
    return;
  }
  parts_->run.ask_row(parts_->settings.start_time, false);
  parts_->run.begin();
}
RunOnDemand::~RunOnDemand() = default;
bool RunOnDemand::go_to(double t, bool exactly) {
  parts_->run.ask_row(t, exactly);
  return parts_->run.go_to_row();
}
bool RunOnDemand::renew() { return parts_->run.renew(); }
const RunState& RunOnDemand::state() const { return parts_->run.stood_at(); }
RunRecord RunOnDemand::finish() { return parts_->run.finish(); }

RunRecord simulate(const System& system, Solver& solver, const RunSettings& settings, std::span<RowSink* const> sinks,
                   const RunControl& control) {
  RunRecord record = with_places(
      system, [&] { return simulate(system.view(), system.initial_state(), solver, settings, sinks, control); });
  if (record.end == End::failed && record.steps == 0) record.failure += note_of_chosen_rates(system);
  return record;
}

RunRecord simulate(const System& system, Solver& solver, const RunSettings& settings, std::span<RowSink* const> sinks,
                   const RunControl& control, const RunSnapshot& from) {
  const ConstStateView start = system.initial_state();
  return with_places(system,
                     [&] { return Run(system.view(), start, solver, settings, sinks, control).to_end_from(from); });
}

RunRecord simulate(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
                   std::span<RowSink* const> sinks, const RunControl& control) {
  return Run(view, start, solver, settings, sinks, control).to_end();
}

}  // namespace polyform::host::inline simulation
