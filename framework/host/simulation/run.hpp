// One run: the loop over its steps, the rows between them, and the record.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/simulation/row_times.hpp"
#include "framework/host/simulation/run_clock.hpp"
#include "framework/host/simulation/run_rows.hpp"
#include "framework/host/simulation/run_stops.hpp"
#include "framework/host/simulation/run_tolerances.hpp"
#include "framework/host/simulation/run_watches.hpp"
#include "framework/host/simulation/simulate.hpp"

namespace polyform::host::inline simulation {

/// A run from its start to its end. All arguments outlive it.
/// Its members are the parts that a step passes through, one after the other, and where the run stands between them.
class Run {
 public:
  Run(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
      std::span<RowSink* const> sinks, const RunControl& control);

  /// For a run whose steps are made together with those of others.
  void leave_steps_untimed() { clock_.leave_steps_untimed(); }

  RunRecord to_end();
  void begin();
  /// In place of begin(), at the state of another run, from where rows come as they are asked for.
  void begin_from(const RunState& from);
  /// On from a snapshot to the end.
  RunRecord to_end_from(const RunSnapshot& from);

  /// A row at t alone. exactly: a step ends there.
  void ask_row(double t, bool exactly);
  /// To the row that was asked for; a row within the last step needs no further one.
  bool go_to_row();
  /// Begins anew after a step and a row if something that acts has changed.
  bool renew();
  const RunState& stood_at() const { return stood_at_; }

  /// All that comes before the next step; false if there is none any more.
  bool prepare();
  bool goes_on() const { return record_.end == End::done; }
  /// The latest time at which the next step ends.
  double limit() const { return limit_; }
  /// The solver stands where the step begins, which its integrator may make before go_on().
  void begin_step();
  /// The next step, and what comes of it.
  void go_on();
  RunRecord finish();

 private:
  /// At the end of a step, after all that happened in it.
  RunSnapshot snapshot();
  /// Adds to the failure that steps were too long, where they were. Whether an element is named that makes them so.
  bool explain_step(RunRecord& record);
  /// What the steps may have passed over at the start, J.
  double energy_of_transient();
  /// What there is to tell of the run so far.
  void tell(RunRecord& record);
  bool goes_on_to_step();
  void step();
  /// Where the motion ends within the step, the rows before that are results. If these fail too, the end of the motion
  /// is what comes first.
  RunStops::Found find_stop();
  /// The rows within the last step, and what happened in it.
  void look_back();
  /// The rows before what ends the step, and then that; where rows are asked for one by one, it waits for those that
  /// may still be asked for before it.
  void pass_rows();
  void pass_ahead();
  /// The rows due within the last step, up to a time in it. Between steps the state is interpolated and corrected like
  /// that of a step.
  void rows_until(double end) { rows_until(end, end); }
  /// The same up to an instant shortly behind `end`, at which something happens: rows show the state before it.
  void rows_until(double end, double due);
  /// Puts the row at which the run ends before its time.
  void put_row_now();
  /// From the state that the motion stands at.
  void put_row(double t);
  std::vector<std::string> warnings(const RunRecord& record);

  const SystemView& view_;
  const ConstStateView& start_;
  Solver& solver_;
  const RunControl& control_;
  RunTolerances tolerances_;
  RunMotion motion_;
  RunRows rows_;
  const double start_time_, end_time_;  ///< a knot may lie behind the end by a rounding
  RowTimes times_;
  RunStops stops_;
  RunWatches watches_;
  RunClock clock_;
  RunRecord record_;
  double last_row_ = -1;  ///< its time
  double limit_ = 0;
  double failed_at_ = never;              ///< within the last step
  bool row_begun_ = false;                ///< and not kept yet
  std::optional<RunStops::Found> ahead_;  ///< what ends the last step, while rows before it are still to come
  double end_of_steps_ = never;           ///< a time that no step goes past
  bool keeps_state_ = false;              ///< at each row, for the caller
  RunState stood_at_;
  const RunRecord* before_ = nullptr;  ///< of the run that this one goes on from
};

}  // namespace polyform::host::inline simulation
