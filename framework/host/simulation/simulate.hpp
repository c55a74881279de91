// The loop of a run: a solver from the initial state to the end, with rows on the way.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/run_state.hpp"
#include "framework/host/simulation/row_sink.hpp"
#include "framework/host/simulation/run_record.hpp"
#include "framework/host/simulation/run_snapshot.hpp"

namespace polyform::host::inline simulation {

/// How the world outside takes part in a run. Both may be empty.
struct RunControl {
  const volatile std::sig_atomic_t* interrupted =
      nullptr;                                ///< the run ends after the step in which it becomes non-zero
  std::function<void(double time)> progress;  ///< told the time after each step
  bool row_at_interruption = false;           ///< a run that is interrupted has a row at the time that it reached
  /// Whether a snapshot is due; asked after each step.
  std::function<bool()> snapshot_due{};
  /// Takes a snapshot where one is due, where the run is interrupted, and at its end.
  std::function<void(const RunSnapshot&)> take_snapshot{};
};

/// Runs the solver from the system's initial state, which is that at the start time of the settings. Rows go to every
/// sink: at k × output_interval (a product, not a running sum) and at the end. A run that fails says so in its record;
/// its rows so far stand. Memory does not grow with the duration. Failure (bad_input) for an unknown integrator.
RunRecord simulate(const System&, Solver&, const RunSettings&, std::span<RowSink* const>, const RunControl&);
/// The same, on from a snapshot of another run of the same model, rows behind it.
RunRecord simulate(const System&, Solver&, const RunSettings&, std::span<RowSink* const>, const RunControl&,
                   const RunSnapshot& from);
/// The same from a start that the caller gives and that is consistent with the joints. The solver may be of any view of
/// the system.
RunRecord simulate(const SystemView&, const ConstStateView& start, Solver&, const RunSettings&,
                   std::span<RowSink* const>, const RunControl&);

/// The same run, from the system's initial state, step by step, so that the steps of several runs can be made together.
class StepwiseRun {
 public:
  /// The system, the solver and the sinks outlive it. Makes the first row.
  StepwiseRun(const System&, Solver&, RunSettings, std::span<RowSink* const>, RunControl);
  ~StepwiseRun();
  StepwiseRun(const StepwiseRun&) = delete;
  StepwiseRun& operator=(const StepwiseRun&) = delete;

  /// Does all that comes before the next step; false if the run has come to its end.
  bool prepare();
  /// The latest time at which the next step ends, s.
  double limit() const;
  /// Takes the step, and handles its consequences.
  void step();
  /// After prepare() gave false.
  RunRecord finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The same run, but rows are made one after the other when they are asked for, and the caller may change functions of
/// time between them. If nothing is changed, its steps and the values of its rows are those of simulate().
class RunOnDemand {
 public:
  /// The view, the solver and the sinks outlive it; the start is copied by encoding it. Begins at the start time with a
  /// row, or at the state that another run of the same model has given, without one.
  RunOnDemand(const SystemView&, const ConstStateView& start, Solver&, RunSettings, std::span<RowSink* const>,
              const RunState* from = nullptr);
  ~RunOnDemand();
  RunOnDemand(const RunOnDemand&) = delete;
  RunOnDemand& operator=(const RunOnDemand&) = delete;

  /// Goes on to t, at most the duration and not before the last row, and gives the row. exactly: a step ends there.
  /// False if the run has failed, which finish() tells.
  bool go_to(double t, bool exactly);
  /// After a row where a step ended: what acts on the model has changed.
  bool renew();
  /// At the last row, or where the run began.
  const RunState& state() const;
  RunRecord finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace polyform::host::simulation
