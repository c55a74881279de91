#include "framework/host/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/simulation/element_failures.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/host/simulation/failure_at.hpp"
#include "framework/host/simulation/kernels_of.hpp"
#include "framework/host/simulation/row_times.hpp"
#include "framework/host/simulation/run_clock.hpp"
#include "framework/host/simulation/run_failure.hpp"
#include "framework/host/simulation/run_rows.hpp"
#include "framework/host/simulation/run_stops.hpp"
#include "framework/host/simulation/run_tolerances.hpp"
#include "framework/host/simulation/run_watches.hpp"

namespace polyform::host::inline simulation {

namespace {

/// One run from its start to its end: the loop over its steps, the rows between them, and the record.
class Run {
 public:
  Run(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
      std::span<RowSink* const> sinks, const RunControl& control)
      : view_(view),
        start_(start),
        solver_(solver),
        control_(control),
        tolerances_(view, start, solver, settings),
        motion_(view, settings.start_time, start, solver, settings.integrator, tolerances_.step_settings()),
        rows_(view, solver, sinks),
        start_time_(settings.start_time),
        times_(settings),
        stops_(view, solver, motion_, settings),
        watches_(view, solver, motion_, settings, tolerances_.step_settings(), stops_.sources()) {}

  /// For a run whose steps are made together with those of others.
  void leave_steps_untimed() { clock_.leave_steps_untimed(); }

  RunRecord to_end() {
    begin();
    while (prepare()) go_on();
    return finish();
  }

  void begin() {
    clock_.start();
    clear_trouble();
    forget_element_failures(view_);
    guard(record_, [&] {
      motion_.begin(start_time_, start_);
      stops_.begin(start_time_);
      watches_.begin_from(start_time_);
      rows_until(start_time_);
      stops_.pass_what_is_due(start_time_);
    });
  }

  /// In place of begin(), at the state of another run, from where rows come as they are asked for.
  void begin_from(const RunState& from) {
    clock_.start();
    clear_trouble();
    forget_element_failures(view_);
    guard(record_, [&] {
      motion_.begin_from(from);
      stops_.begin_from(from.time);
      watches_.begin_from(from.time);
      last_row_ = from.time;
      stood_at_ = from;
    });
  }

  /// On from a snapshot to the end.
  RunRecord to_end_from(const RunSnapshot& from) {
    before_ = &from.record;
    guard(record_, [&] {
      encode_start(start_time_, solver_, start_, motion_.solver_states());
      rows_.begin_from(from.sums, start_time_, motion_.solver_states());
    });
    times_.begin_from(from.state.time);
    begin_from(from.state);
    while (prepare()) go_on();
    return finish();
  }

  /// A row at t alone. exactly: a step ends there.
  void ask_row(double t, bool exactly) {
    keeps_state_ = true;
    times_.ask(t);
    end_of_steps_ = exactly ? t : never;
  }
  /// To the row that was asked for; a row within the last step needs no further one.
  bool go_to_row() {
    if (!goes_on()) return false;
    guard(record_, [&] { ahead_ ? pass_rows() : rows_until(motion_.time()); });
    while (prepare()) go_on();
    return goes_on() && times_.done();
  }
  /// Begins anew after a step and a row if something that acts has changed.
  bool renew() {
    if (!goes_on()) return false;
    guard(record_, [&] {
      if (ahead_) pass_ahead();
      stops_.renew();
    });
    return goes_on();
  }
  const RunState& stood_at() const { return stood_at_; }

  /// All that comes before the next step; false if there is none any more.
  bool prepare() {
    bool more = false;
    if (goes_on()) guard(record_, [&] { more = goes_on_to_step(); });
    return more;
  }
  bool goes_on() const { return record_.end == End::done; }
  /// The latest time at which the next step ends.
  double limit() const { return limit_; }
  /// The solver stands where the step begins, which its integrator may make before go_on().
  void begin_step() {
    guard(record_, [&] {
      if (!motion_.integrator().begin_step()) motion_.fail();
    });
  }

  /// The next step, and what comes of it.
  void go_on() {
    guard(record_, [&] {
      step();
      look_back();
      if (control_.progress) control_.progress(motion_.time());
      if (control_.snapshot_due && control_.snapshot_due()) control_.take_snapshot(snapshot());
    });
  }

  RunRecord finish() {
    RunRecord& record = record_;
    if (record.end == End::failed) explain_failure(record, view_, solver_, motion_, rows_);
    add_later_failures(record);
    if (control_.take_snapshot && record.end != End::failed)
      guard(record, [&] { control_.take_snapshot(snapshot()); });
    tell(record);
    for (RowSink* sink : rows_.sinks()) guard(record, [&] { sink->finish(record); });
    add_later_failures(record);
    return record;
  }

 private:
  /// At the end of a step, after all that happened in it.
  RunSnapshot snapshot() {
    RunSnapshot now{{}, record_, rows_.sums()};
    motion_.stand_at(motion_.time());
    motion_.keep(motion_.time(), now.state);
    tell(now.record);
    return now;
  }

  /// What there is to tell of the run so far.
  void tell(RunRecord& record) {
    const Statistics done = motion_.integrator().statistics();
    record.time = std::min(motion_.time(), failed_at_);
    record.state_size = motion_.states();
    record.kernels = kernels_of(solver_);
    record.steps = done.steps;
    record.rejected_steps = done.rejected;
    record.evaluations = done.evaluations + watches_.evaluations() + motion_.stepped().evaluations();
    record.wall_seconds = clock_.seconds();
    record.seconds_per_evaluation = clock_.seconds_per_evaluation();
    rows_.store(record);
    record.longest_step = watches_.longest_step();
    record.stops = stops_.knots_passed();
    record.events = stops_.events_passed();
    record.notes = motion_.tally().notes();
    if (!stops_.ended_by().empty())
      record.notes.push_back(fmt::format("{} ended the run at t = {:.9g} s", stops_.ended_by(), motion_.time()));
    record.choices = motion_.integrator().choices();
    if (record.choices.empty()) record.choices = watches_.held();
    record.warnings = warnings(record);
    rows_.store_balance(record);
    if (before_ != nullptr) add_record_before(record, *before_);
  }

  bool goes_on_to_step() {
    while (!times_.done()) {
      if (!stops_.ended_by().empty()) {
        if (motion_.time() > last_row_) put_row_now();
        return false;
      }
      if (control_.interrupted && *control_.interrupted) {
        if (control_.row_at_interruption && motion_.time() > last_row_) put_row_now();
        record_.end = End::interrupted;
        return false;
      }
      limit_ = std::min(stops_.plan(), motion_.time() + watches_.longest_allowed_step());
      if (end_of_steps_ > motion_.time()) limit_ = std::min(limit_, end_of_steps_);
      if (!stops_.is_at_knot()) return true;
      stops_.pass_knot();
    }
    return false;
  }

  void step() {
    stops_.before_step(limit_);
    {
      const RunClock::Step timed(clock_, motion_.integrator());
      motion_.step(limit_);
    }
    watches_.look([this] { return stops_.held_by_guard(); });
  }

  /// Where the motion ends within the step, the rows before that are results. If these fail too, the end of the motion
  /// is what comes first.
  RunStops::Found find_stop() {
    try {
      return stops_.find();
    } catch (const FailureAt& failure) {
      failed_at_ = failure.time();
      // Beside a pole the accelerations are those of the rounding.
      constexpr double share_before = 1e-6;
      guard(record_, [&] { throw failure; });
      rows_until(std::max(motion_.integrator().previous_time(), (1 - share_before) * failed_at_));
      throw;
    }
  }

  /// The rows within the last step, and what happened in it.
  void look_back() {
    const RunStops::Found found = find_stop();
    if (found == RunStops::Found::step_again) return;
    watches_.look_at_peak(stops_.saw_peak());
    ahead_ = found;
    pass_rows();
  }

  /// The rows before what ends the step, and then that; where rows are asked for one by one, it waits for those that
  /// may still be asked for before it.
  void pass_rows() {
    rows_until(*ahead_ == RunStops::Found::nothing ? motion_.time() : stops_.found_at());
    if (times_.on_demand() && times_.done()) return;
    pass_ahead();
  }
  void pass_ahead() {
    const RunStops::Found found = *std::exchange(ahead_, std::nullopt);
    if (found == RunStops::Found::touch) {
      stops_.pass_touch();
    } else if (found == RunStops::Found::event) {
      stops_.pass_event();
      rows_until(motion_.time());
    } else {
      rows_.show(motion_.integrator(), motion_.states());
      stops_.end_step();
      if (stops_.is_at_knot()) stops_.pass_knot();
    }
  }

  /// The rows due within the last step, up to a time in it. Between steps the state is interpolated and corrected like
  /// that of a step.
  void rows_until(double end) {
    const double now = motion_.time();
    constexpr double rounding_of_time = 1e-12;  // of a time that sums of steps and products of an interval give
    const double rounding = rounding_of_time * now;
    for (; !times_.done() && times_.next() <= end + rounding; times_.advance()) {
      const double t = times_.next();
      // Across an event there is no step to look into.
      const double at = t < end - rounding && t >= motion_.integrator().previous_time() ? t : end;
      motion_.stand_at(at);
      if (at < now) motion_.correct(t);
      put_row(t);
    }
  }
  /// Puts the row at which the run ends before its time.
  void put_row_now() {
    motion_.stand_at(motion_.time());
    put_row(motion_.time());
  }
  /// From the state that the motion stands at.
  void put_row(double t) {
    if (!motion_.touching().empty()) motion_.touching().put(t, motion_.y());
    rows_.put(t, motion_.solver_states(), motion_.work(), motion_.equations().take_corrections(),
              motion_.integrator().statistics().evaluations);
    last_row_ = t;
    if (keeps_state_) motion_.keep(t, stood_at_);
  }

  std::vector<std::string> warnings(const RunRecord& record) {
    std::vector<std::string> all = stops_.warnings();
    const auto append = [&](std::vector<std::string> more) {
      for (std::string& text : more) all.push_back(std::move(text));
    };
    append(watches_.warnings(record.energy_drift, record.steps));
    append(tolerances_.warnings());
    if (std::string text = rows_.warning(); !text.empty()) all.push_back(std::move(text));
    // This text is for runs in which nothing else tells the reason, or no reason is reason enough.
    if (all.empty() || rows_.explodes())
      if (std::string text = rows_.warning_of_energy(); !text.empty()) all.push_back(std::move(text));
    return all;
  }

  const SystemView& view_;
  const ConstStateView& start_;
  Solver& solver_;
  const RunControl& control_;
  RunTolerances tolerances_;
  RunMotion motion_;
  RunRows rows_;
  const double start_time_;
  RowTimes times_;
  RunStops stops_;
  RunWatches watches_;
  RunClock clock_;
  RunRecord record_;
  double last_row_ = -1;  ///< its time
  double limit_ = 0;
  double failed_at_ = never;  ///< within the last step
  std::optional<RunStops::Found> ahead_;  ///< what ends the last step, while rows before it are still to come
  double end_of_steps_ = never;           ///< a time that no step goes past
  bool keeps_state_ = false;              ///< at each row, for the caller
  RunState stood_at_;
  const RunRecord* before_ = nullptr;  ///< of the run that this one goes on from
};

}  // namespace

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
      : start(from), settings(std::move(given)), sinks(to.begin(), to.end()),
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
  RunRecord record = simulate(system.view(), system.initial_state(), solver, settings, sinks, control);
  if (record.end == End::failed && record.steps == 0) record.failure += note_of_chosen_rates(system);
  return record;
}

RunRecord simulate(const System& system, Solver& solver, const RunSettings& settings, std::span<RowSink* const> sinks,
                   const RunControl& control, const RunSnapshot& from) {
  const ConstStateView start = system.initial_state();
  return Run(system.view(), start, solver, settings, sinks, control).to_end_from(from);
}

RunRecord simulate(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
                   std::span<RowSink* const> sinks, const RunControl& control) {
  return Run(view, start, solver, settings, sinks, control).to_end();
}

}  // namespace polyform::host::inline simulation
