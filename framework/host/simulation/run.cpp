#include "framework/host/simulation/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/simulation/run_failure.hpp"
#include "framework/host/watches/element_failures.hpp"
#include "framework/host/watches/failure_at.hpp"

namespace polyform::host::inline simulation {

Run::Run(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
         std::span<RowSink* const> sinks, const RunControl& control)
    : view_(view),
      start_(start),
      solver_(solver),
      control_(control),
      tolerances_(view, start, solver, settings),
      motion_(view, settings.start_time, start, solver, settings.integrator, tolerances_.step_settings()),
      rows_(view, solver, sinks),
      start_time_(settings.start_time),
      end_time_(settings.end_time()),
      times_(settings),
      stops_(view, solver, motion_, settings),
      watches_(view, solver, motion_, settings, tolerances_.step_settings(), stops_.sources()) {}

RunRecord Run::to_end() {
  begin();
  while (prepare()) go_on();
  return finish();
}

void Run::begin() {
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

void Run::begin_from(const RunState& from) {
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

RunRecord Run::to_end_from(const RunSnapshot& from) {
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

void Run::ask_row(double t, bool exactly) {
  keeps_state_ = true;
  times_.ask(t);
  end_of_steps_ = exactly ? t : never;
}

bool Run::go_to_row() {
  if (!goes_on()) return false;
  guard(record_, [&] { ahead_ ? pass_rows() : rows_until(motion_.time()); });
  while (prepare()) go_on();
  return goes_on() && times_.done();
}

bool Run::renew() {
  if (!goes_on()) return false;
  guard(record_, [&] {
    if (ahead_) pass_ahead();
    stops_.renew();
  });
  return goes_on();
}

bool Run::prepare() {
  bool more = false;
  if (goes_on()) guard(record_, [&] { more = goes_on_to_step(); });
  return more;
}

void Run::begin_step() {
  guard(record_, [&] {
    if (!motion_.integrator().begin_step()) motion_.fail();
  });
}

void Run::go_on() {
  guard(record_, [&] {
    step();
    look_back();
    if (control_.progress) control_.progress(motion_.time());
    if (control_.snapshot_due && control_.snapshot_due()) control_.take_snapshot(snapshot());
  });
}

RunRecord Run::finish() {
  RunRecord& record = record_;
  if (record.end == End::failed) {
    const bool is_known = explain_failure(record, view_, {start_, start_time_}, solver_, motion_, rows_);
    if (!explain_step(record) && !is_known) guard(record, [&] { explain_stall(record, motion_, watches_); });
  }
  add_later_failures(record);
  if (control_.take_snapshot && record.end != End::failed) guard(record, [&] { control_.take_snapshot(snapshot()); });
  tell(record);
  for (RowSink* sink : rows_.sinks()) guard(record, [&] { sink->finish(record); });
  add_later_failures(record);
  return record;
}

/// A motion that explodes has states in which nothing can be told: the steps are judged at the start.
bool Run::explain_step(RunRecord& record) {
  std::vector<double> y(motion_.states() + 1);
  const std::span<double> start = std::span(y).first(motion_.states());
  guard(record, [&] { encode_start(start_time_, solver_, start_, start); });
  const std::string text = watches_.step_too_long(start_time_, std::span(y).first(motion_.equations().size()));
  if (text.empty()) return false;
  record.failure += fmt::format(". {}", text);
  record.remedy = "Give a shorter --step, or an integrator that chooses its steps (--integrator auto).";
  return true;
}

double Run::energy_of_transient() {
  std::vector<double> y(motion_.states() + 1);
  const std::span<double> start = std::span(y).first(motion_.states());
  ObservationStore store(view_);
  try {
    encode_start(start_time_, solver_, start_, start);
    return watches_.energy_of_transient(solver_, store, start_time_, std::span(y).first(motion_.equations().size()));
  } catch (const Failure&) {
    return 0;
  }
}

RunSnapshot Run::snapshot() {
  RunSnapshot now{{}, record_, rows_.sums()};
  motion_.stand_at(motion_.time());
  motion_.keep(motion_.time(), now.state);
  tell(now.record);
  return now;
}

void Run::tell(RunRecord& record) {
  const Statistics done = motion_.integrator().statistics();
  record.time = row_begun_ ? std::max(start_time_, last_row_) : std::min({motion_.time(), failed_at_, end_time_});
  record.state_size = motion_.states();
  record.kernels = kernels_of(solver_);
  record.steps = done.steps;
  record.rejected_steps = done.rejected;
  record.evaluations = done.evaluations + watches_.evaluations() + motion_.stepped().evaluations();
  record.wall_seconds = clock_.seconds();
  record.seconds_per_evaluation = clock_.seconds_per_evaluation();
  rows_.store(record);
  record.conservative = record.conservative && !stops_.motion_jumped();
  record.longest_step = watches_.longest_step();
  record.stops = stops_.knots_passed();
  record.events = stops_.events_passed();
  record.notes = motion_.tally().notes();
  record.contacts = motion_.tally().told();
  record.open_contacts = motion_.tally().open();
  record.ended_by = stops_.ended_by();
  record.choices = motion_.integrator().choices();
  if (record.choices.empty()) record.choices = watches_.held();
  record.warnings = warnings(record);
  rows_.store_balance(record);
  if (before_ != nullptr) add_record_before(record, *before_);
}

bool Run::goes_on_to_step() {
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
    // Velocities jump within steps over contacts, nobody knows when: rows are the ends of steps.
    if (!motion_.stepped().empty() && times_.next() > motion_.time()) limit_ = std::min(limit_, times_.next());
    if (stops_.is_at_knot()) {
      stops_.pass_knot();
      watches_.begin_anew();
    } else if (stops_.is_at_event()) {
      rows_until(motion_.time(), stops_.due_before());
      stops_.pass_event();
      watches_.begin_anew();
      rows_until(motion_.time());
    } else {
      return true;
    }
  }
  return false;
}

void Run::step() {
  stops_.before_step(limit_);
  {
    const RunClock::Step timed(clock_, motion_.integrator());
    motion_.step(limit_);
  }
  watches_.look([this] { return stops_.held_by_guard(); });
}

RunStops::Found Run::find_stop() {
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

void Run::look_back() {
  const RunStops::Found found = find_stop();
  if (found == RunStops::Found::step_again) return;
  watches_.look_at_peak(stops_.saw_peak());
  ahead_ = found;
  pass_rows();
}

void Run::pass_rows() {
  if (*ahead_ == RunStops::Found::nothing)
    rows_until(motion_.time());
  else
    rows_until(stops_.found_at(), stops_.due_before());
  if (times_.on_demand() && times_.done()) return;
  pass_ahead();
}

void Run::pass_ahead() {
  const RunStops::Found found = *std::exchange(ahead_, std::nullopt);
  if (found == RunStops::Found::touch) {
    rows_.see_jump(stops_.pass_touch());
    watches_.begin_anew();
  } else if (found == RunStops::Found::event) {
    stops_.pass_event();
    watches_.begin_anew();
    rows_until(motion_.time());
  } else {
    rows_.show(motion_.integrator(), motion_.states());
    stops_.end_step();
    if (!stops_.is_at_knot()) return;
    stops_.pass_knot();
    watches_.begin_anew();
  }
}

void Run::rows_until(double end, double due) {
  const double now = motion_.time();
  const double rounding = rounding_of_row_times * now;
  for (; !times_.done() && times_.next() <= due + rounding; times_.advance()) {
    const double t = times_.next();
    // Across an event there is no step to look into.
    const double at = t < end - rounding && t >= motion_.integrator().previous_time() ? t : end;
    row_begun_ = true;
    motion_.stand_at(at);
    if (at < now) motion_.correct(t);
    put_row(t);
  }
}

void Run::put_row_now() {
  row_begun_ = true;
  motion_.stand_at(motion_.time());
  put_row(motion_.time());
}

void Run::put_row(double t) {
  if (!motion_.touching().empty()) motion_.touching().put(t, motion_.y());
  rows_.put(t, motion_.solver_states(), motion_.work(), motion_.equations().take_corrections(),
            motion_.integrator().statistics().evaluations);
  last_row_ = t;
  row_begun_ = false;
  if (keeps_state_) motion_.keep(t, stood_at_);
}

std::vector<std::string> Run::warnings(const RunRecord& record) {
  std::vector<std::string> all = stops_.warnings();
  if (!record.ended_by.empty())
    all.insert(all.begin(), fmt::format("{} ended the run at t = {:.9g} s", record.ended_by, motion_.time()));
  const auto append = [&](std::vector<std::string> more) {
    for (std::string& text : more) all.push_back(std::move(text));
  };
  append(watches_.warnings(rows_.moved(), record.steps));
  append(tolerances_.warnings());
  if (std::string text = rows_.warning(); !text.empty()) all.push_back(std::move(text));
  if (std::string text = rows_.warning_of_code(); !text.empty()) all.push_back(std::move(text));
  // This text is for runs in which nothing else tells the reason, or no reason is reason enough.
  if (!watches_.explain_energy(rows_.moved(), record.steps) || rows_.explodes()) {
    const std::size_t steps = record.steps + (before_ != nullptr ? before_->steps : 0);
    std::string text =
        watches_.fixed_step() ? rows_.warning_of_energy() : rows_.warning_of_energy(tolerances_.step_settings(), steps);
    if (!text.empty())
      if (std::string other = rows_.warning_of_transient(energy_of_transient()); !other.empty()) text = other;
    if (text.empty() && !watches_.fixed_step()) text = rows_.warning_of_jump(tolerances_.step_settings());
    if (!text.empty()) all.push_back(std::move(text));
  }
  if (std::string text = rows_.warning_of_distance(); !text.empty()) all.push_back(std::move(text));
  return all;
}

}  // namespace polyform::host::inline simulation
