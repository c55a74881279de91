#include "apps/fmi/stepping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/registry/process_state.hpp"

namespace polyform::fmi {

/// Keeps the last row.
class Stepping::Sink final : public host::RowSink {
 public:
  Sink(const FmuModel& model, std::vector<double>& out) : rows_(model.system(), model.columns()), out_(out) {}
  void work(double work) override { work_ = work; }
  void row(double time, const Observation& now) override {
    const std::span<const double> values = rows_.make(time, now, work_);
    out_.assign(values.begin(), values.end());
  }

 private:
  host::RowMaker rows_;
  std::vector<double>& out_;
  double work_ = 0;
};

Stepping::Stepping(const FmuModel& model, std::optional<double> stop, std::optional<double> tolerance)
    : model_(model),
      solver_(apps::compile(model.choice(), model.system().view())),
      settings_(model.run()),
      sink_(std::make_unique<Sink>(model, row_)),
      fixed_stop_(stop.has_value()) {
  if (stop) settings_.duration = *stop;
  if (tolerance) settings_.relative_tolerance = *tolerance;
  begin(nullptr);
  if (row_.empty()) fail();
}
Stepping::~Stepping() = default;

void Stepping::begin(const host::RunState* from) {
  host::RowSink* const sinks[] = {sink_.get()};
  const host::ProcessState before;
  run_.reset();
  run_ = std::make_unique<host::RunOnDemand>(model_.system().view(), model_.system().initial_state(), *solver_,
                                             settings_, sinks, from);
  ended_ = from != nullptr;
}

void Stepping::fail() {
  const host::RunRecord record = run_->finish();
  if (record.end != host::End::failed)
    throw host::Failure(host::Exit::simulation_failed,
                        record.ended_by.empty() ? "the run has ended before" : record.warnings.front());
  throw host::Failure(host::Exit::simulation_failed, record.failure, record.remedy);
}

/// Sums of steps have the rounding of their terms: a time that is the time of a row of `polyform run` up to that
/// becomes it.
double Stepping::settled(double t) const {
  constexpr double rounding = 1e-12;
  const double row = std::round(t / settings_.output_interval) * settings_.output_interval;
  for (const double exact : {settings_.duration, row})
    if (std::abs(t - exact) <= rounding * t) return exact;
  return t;
}

double Stepping::time() const { return run_->state().time; }

void Stepping::step(double t, double step) {
  const double now = time();
  constexpr double rounding = 1e-9;  // part of the step: rounding of sums of steps in other programs
  if (!(std::abs(t - now) <= rounding * std::max(std::abs(step), std::abs(now))))
    throw host::Failure(host::Exit::bad_input,
                        fmt::format("a step from t = {:g} s is asked for, but the time is {:g} s", t, now),
                        "Step on from where the last step ended, or set a state from that time.");
  if (!(step >= 0) || !std::isfinite(step))
    throw host::Failure(host::Exit::bad_input, fmt::format("a step of {} s is asked for", step),
                        "Give a positive one.");
  const double end = settled(t + step);
  const host::ProcessState before;
  if (end > settings_.duration * (1 + 1e-12)) {
    if (fixed_stop_)
      throw host::Failure(host::Exit::bad_input,
                          fmt::format("a step to t = {:g} s goes past the stop time, {:g} s", end, settings_.duration),
                          "Give a later stop time before the simulation begins, or none.");
    const host::RunState from = run_->state();
    settings_.duration = std::max(2 * settings_.duration, 2 * end);
    begin(&from);
  }
  if (changed_) {
    if (ended_ && exact_) {
      if (!run_->renew()) fail();
    } else {
      const host::RunState from = run_->state();
      begin(&from);
    }
    exact_ = true;
    changed_ = false;
  }
  if (step == 0) return;
  if (!run_->go_to(std::min(end, settings_.duration), exact_)) fail();
  ended_ = exact_;
}

void Stepping::save(InstanceState& out) { out.run = run_->state(); }

void Stepping::restore(const InstanceState& from) {
  begin(&from.run);
  changed_ = exact_ = false;
  row_.assign(row_.size(), std::nan(""));
  if (!run_->go_to(from.run.time, false)) fail();
}

}  // namespace polyform::fmi
