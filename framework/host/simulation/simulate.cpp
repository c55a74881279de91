#include "framework/host/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/assembly/singular_position.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/integration/integration.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/host/simulation/event_watch.hpp"
#include "framework/host/simulation/kernels_of.hpp"
#include "framework/host/simulation/knots.hpp"
#include "framework/host/simulation/motion_jumps.hpp"
#include "framework/host/simulation/pace_watch.hpp"
#include "framework/host/simulation/row_times.hpp"
#include "framework/host/simulation/run_rows.hpp"
#include "framework/host/simulation/singular_watch.hpp"
#include "framework/host/simulation/solver_ode.hpp"
#include "framework/host/simulation/stability_watch.hpp"
#include "framework/host/simulation/step_check.hpp"
#include "framework/host/simulation/time_scales.hpp"
#include "framework/host/simulation/unilateral_ode.hpp"
#include "framework/host/simulation/unilateral_watch.hpp"
#include "framework/original_process.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline simulation {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The finest absolute tolerance: what rounding leaves of the largest position at the start, corrected. A state that is
/// zero, such as a coordinate across a plane, is computed from these and has their rounding.
double finest_tolerance_at(const ConstStateView& start, Solver& solver) {
  std::vector<double> y(solver.state_size());
  if (solver.encode(start, y) != Status::ok) return 0;  // the run says why
  auto* const second = ask<SecondOrderSystem>(solver);
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (second == nullptr || second->kinds()[i] == StateKind::position) largest = std::max(largest, std::abs(y[i]));
  return std::isfinite(largest) ? position_rounding_part * largest : 0;
}

/// Part of the size of the largest body that an absolute tolerance may be: positions are known to about as much.
constexpr double coarse_part = 1e-5;

/// Whether a solver's states hold lengths: coordinates of translations, or positions of bodies.
bool holds_lengths(const SystemView& view, const Solver& solver) {
  for (const JointData& joint : view.tree_joints())
    for (const Primitive& p : joint.primitives)
      if (p.kind == Primitive::Kind::translation) return true;
  return solver.state_size() != view.nq_tree + view.nv_tree + 2 * view.modes + view.states;
}

/// What to say of an absolute tolerance that is coarse beside the bodies; "" where it is not.
std::string coarse_tolerance(const SystemView& view, const Solver& solver, double absolute) {
  const double size = SystemScales(view).largest_reach();
  if (!(absolute > coarse_part * size) || !(size > 0) || !holds_lengths(view, solver)) return {};
  return fmt::format(
      "the absolute tolerance of {:g} is {:.1e} of the size of the largest body, {:.3g} m: its positions are known to "
      "about that part. Give an --atol of {:.0e}",
      absolute, absolute / size, size, 1e-10 * size);
}

StepSettings step_settings(const RunSettings& s, double finest) {
  StepSettings settings;
  settings.step = s.step;
  settings.relative_tolerance = s.relative_tolerance;
  settings.absolute_tolerance = std::max(s.absolute_tolerance, finest);
  settings.max_step = s.max_step;
  return settings;
}

/// What the parts of a run share is the integrator, the state y_ that is handed from one to the other, and where the
/// next step ends. Their members are many because a run has many watches, each a class of its own.
class Run {
 public:
  Run(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
      std::span<RowSink* const> sinks, const RunControl& control)
      : view_(view),
        start_(start),
        solver_(solver),
        settings_(settings),
        control_(control),
        finest_tolerance_(finest_tolerance_at(start, solver)),
        ode_(solver, view),
        check_ode_(solver, view),
        touching_(view, start, solver, ode_),
        driven_(ode_, touching_),
        check_driven_(check_ode_, touching_),
        integrator_(driven_, settings.integrator, step_settings(settings, finest_tolerance_)),
        rows_(view, solver, sinks),
        states_(solver.state_size()),
        y_(ode_.size()),
        times_(settings),
        knots_(view),
        events_(view, solver, integrator_, settings.step, settings.integrator.fixed_step()),
        touches_(touching_, integrator_, settings.step),
        jumps_(view, solver),
        has_clocks_(!RheonomicJoints(view).empty()),
        singular_(view, solver),
        pace_(settings.duration),
        stability_(ode_, integrator_),
        scales_(view) {
    for (const ElementEvents::Source& source : events_.elements().sources()) {
      knots_.add(*source.events, source.type);
      scales_.add(source);
    }
    if (!settings.integrator.fixed_step()) longest_of_scales_ = scales_.longest_step(settings.duration);
    step_start_.resize(y_.size());
    if (settings.integrator.fixed_step())
      check_.emplace(check_driven_, settings.integrator, step_settings(settings, finest_tolerance_), expected_steps());
  }

  RunRecord to_end() {
    begin();
    while (prepare()) go_on();
    return finish();
  }

  void begin() {
    begun_ = Clock::now();
    clear_trouble();
    guard(record_, [&] {
      encode_start(solver_, start_, std::span(y_).first(states_));
      if (!touches_.empty()) touching_.renew(0, y_);
      integrator_.start(0, y_);
      is_started_ = true;
      if (!events_.empty()) events_.begin();
      if (!touches_.empty()) touches_.begin();
      rows_until(0);
    });
  }

  /// In place of begin(), at the state of another run, from where rows come as they are asked for.
  void begin_from(const RunState& from) {
    begun_ = Clock::now();
    clear_trouble();
    guard(record_, [&] {
      if (!touches_.empty())
        throw Failure(Exit::simulation_failed, "contacts, friction or stops that hold at times cannot be set to a state",
                      "Run the model from its start.");
      auto* const discrete = ask<DiscreteState>(solver_);
      if (from.y.size() != y_.size() ||
          (discrete == nullptr ? !from.discrete.empty() : discrete->set(from.discrete) != Status::ok))
        throw Failure(Exit::simulation_failed, "a state of another model cannot be set");
      std::ranges::copy(from.y, y_.begin());
      integrator_.start(from.time, y_);
      is_started_ = true;
      last_row_ = from.time;
      knots_.pass(from.time);
      if (!events_.empty()) events_.begin();
      stood_at_ = from;
    });
  }

  /// A row at t alone. exactly: a step ends there.
  void ask_row(double t, bool exactly) {
    keeps_state_ = true;
    times_.ask(t);
    end_of_steps_ = exactly ? t : never;
  }
  /// To the row that was asked for; a row within the last step needs no further one.
  bool go_to_row() {
    guard(record_, [&] { ahead_.what != Ahead::What::nothing ? pass_rows() : rows_until(integrator_.time()); });
    while (prepare()) go_on();
    return goes_on();
  }
  /// Where a step and a row have ended, and what acts has changed.
  bool renew() {
    guard(record_, [&] {
      pass_ahead();
      begin_anew(integrator_.time(), 0);
      renew_touches();
      if (!events_.empty()) events_.begin();
    });
    return goes_on();
  }
  const RunState& stood_at() const { return stood_at_; }

  /// All that comes before the next step; false where there is none any more.
  bool prepare() {
    bool more = false;
    if (goes_on()) guard(record_, [&] { more = goes_on_to_step(); });
    return more;
  }
  bool goes_on() const { return record_.end == End::done; }
  /// Where the next step ends at the latest.
  double limit() const { return limit_; }
  /// The solver stands where the step begins, which its integrator may make before go_on().
  void begin_step() {
    guard(record_, [&] {
      if (!integrator_.begin_step()) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
    });
  }

  /// The next step, and what comes of it.
  void go_on() {
    guard(record_, [&] {
      step();
      take_step();
      if (control_.progress) control_.progress(integrator_.time());
    });
  }

  RunRecord finish() {
    RunRecord& record = record_;
    if (record.end == End::failed && ended_next_to_singular())
      record.failure += fmt::format(
          ". The cause is likely the position: at t = {:.6g} s the mechanism is next to a limit position or another "
          "singular "
          "one, where its constraints all but depend on each other",
          integrator_.time());
    if (record.end == End::failed) blame_formula(record);
    const Statistics done = integrator_.statistics();
    record.time = integrator_.time();
    record.state_size = states_;
    record.kernels = kernels_of(solver_);
    record.steps = done.steps;
    record.rejected_steps = done.rejected;
    record.evaluations = done.evaluations;
    record.wall_seconds = seconds_since(begun_);
    if (evaluations_in_steps_ > 0)
      record.seconds_per_evaluation = stepping_ / static_cast<double>(evaluations_in_steps_);
    if (check_) record.evaluations += check_->evaluations();
    rows_.store(record);
    record.longest_step = longest_step_;
    record.stops = stops_;
    record.events = events_.count() + touches_.count();
    record.notes = touching_.tally().notes();
    record.choices = integrator_.choices();
    if (record.choices.empty()) record.choices = stability_.held();
    record.warnings = warnings(record);
    rows_.store_balance(record);
    for (RowSink* sink : rows_.sinks()) guard(record, [&] { sink->finish(record); });
    return record;
  }

 private:
  /// Does a part of the run; its first failure is the run's.
  template <class Part>
  static void guard(RunRecord& record, const Part& part) {
    try {
      part();
    } catch (const Failure& problem) {
      if (record.end == End::failed) return;
      record.end = End::failed;
      record.failure = problem.message();
      record.remedy = problem.remedy();
    }
  }

  bool goes_on_to_step() {
    while (!times_.done()) {
      if (control_.interrupted && *control_.interrupted) {
        if (control_.row_at_interruption) put_last_row();
        record_.end = End::interrupted;
        return false;
      }
      plan();
      if (stop_.end > integrator_.time()) return true;
      stop();
    }
    return false;
  }

  void take_step() {
    const double event = events_.empty() ? never : events_.find().value_or(never);
    const double touch = touches_.empty() ? never : touches_.find().value_or(never);
    if (touch < never && touch <= event) {
      ahead_ = {Ahead::What::touch, touch};
    } else if (event < never) {
      if (feels_what_follows(event)) {
        repeat_until(event);
        return;
      }
      ahead_ = {Ahead::What::event, event};
    } else {
      if (!touches_.empty()) touches_.settle();
      ahead_ = {Ahead::What::end, integrator_.time()};
    }
    pass_rows();
  }

  /// The rows before what ends the step, and then that; where rows are asked for one by one, it waits for those that
  /// may still be asked for before it.
  void pass_rows() {
    rows_until(ahead_.time);
    if (times_.on_demand() && times_.done()) return;
    pass_ahead();
  }
  void pass_ahead() {
    const auto [what, time] = std::exchange(ahead_, Ahead{});
    if (what == Ahead::What::touch) pass_touch(time);
    if (what == Ahead::What::event) pass_event(time);
    if (what != Ahead::What::end) return;
    rows_.show(integrator_, states_);
    if (time >= stop_.end) stop();
  }

  void step() {
    const Clock::time_point start = Clock::now();
    const std::size_t evaluations = integrator_.statistics().evaluations;
    if (stop_.knot.abrupt && limit_ >= stop_.end) std::ranges::copy(integrator_.state(), step_start_.begin());
    const bool stepped = integrator_.step(limit_);
    stepping_ += seconds_since(start);
    evaluations_in_steps_ += integrator_.statistics().evaluations - evaluations;
    end_copies();
    if (!stepped) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
    longest_step_ = std::max(longest_step_, integrator_.time() - integrator_.previous_time());
    if (!singular_.empty()) singular_.look(integrator_);
    pace_.look(integrator_.time(), ode_);
    if (!settings_.integrator.fixed_step()) stability_.look();
    if (const std::size_t steps = integrator_.statistics().steps; check_ && check_->due(steps))
      check_->look(integrator_, steps);
    if (floating_point_control() != arithmetic_)
      throw Failure(Exit::simulation_failed,
                    fmt::format("a plugin has changed how numbers are computed (rounding, traps), by t = {:.6g} s",
                                integrator_.time()),
                    "Report this to the author of the plugin: what it changes in the process it has to put back.");
  }

  /// Where the next step ends at the latest.
  void plan() {
    const double now = integrator_.time();
    stop_.knot = knots_.next();
    // A step that ends shortly before a knot sees nothing of what begins there; the next begins at the knot.
    stop_.end = stop_.knot.abrupt ? stop_.knot.time - time_resolution(stop_.knot.time) : stop_.knot.time;
    limit_ = std::min({settings_.duration, stop_.end, now + longest_of_scales_});
    if (!events_.empty()) limit_ = std::min(limit_, now + events_.longest_step());
    if (!touches_.empty()) limit_ = std::min(limit_, now + touches_.longest_step());
    if (repeated_until_ > now) limit_ = std::min(limit_, repeated_until_);
    if (end_of_steps_ > now) limit_ = std::min(limit_, end_of_steps_);
  }

  /// Whether the states of the last step before an event have felt what lies behind it.
  bool feels_what_follows(double event) const {
    return integrator_.interpolation_evaluated() && event - integrator_.previous_time() > 10 * events_.first_step();
  }

  /// The last step once more, to an event at most, which is then looked for anew.
  void repeat_until(double event) {
    const double from = integrator_.previous_time();
    if (!integrator_.state_at(from, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
    integrator_.restart(from, y_, event - from);
    events_.begin();
    repeated_until_ = event;
  }

  /// From shortly before an event across it, in a step that is far shorter than anything that begins there.
  void pass_event(double before) {
    begin_anew(before, events_.first_step());
    limit_ = std::min({before + events_.first_step(), stop_.end, settings_.duration});
    if (limit_ > before) step();
    if (events_.pass()) {
      // The solver has the discrete state from now on, the integrator still the one before.
      std::ranges::copy(events_.state(), y_.begin());
      begin_anew(integrator_.time(), events_.first_step(), y_);
    }
    events_.begin_after_event();
    renew_touches();
    rows_until(integrator_.time());
  }

  /// At an event of what touches, sticks or locks.
  void pass_touch(double t) {
    if (!integrator_.state_at(t, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
    touches_.pass(t, y_);
    begin_anew(t, 0, y_);
    touches_.begin();
    if (!events_.empty()) events_.begin();
  }

  /// Where what acts has changed at the integrator's time, so may have what touches.
  void renew_touches() {
    if (touches_.empty()) return;
    const double now = integrator_.time();
    if (!integrator_.state_at(now, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
    touching_.renew(now, y_);
    begin_anew(now, 0, y_);
    touches_.begin();
  }

  /// At the end of a step that a knot limited.
  void stop() {
    const auto [knot, before] = stop_;
    integrator_.stand_at_end();
    knots_.pass(knot.time);
    ++stops_;
    if (!knot.abrupt) return;
    carry_across(knot.time);
    // Where a velocity jumps, the state is no more one that the constraints allow: the correction makes it so. It also
    // sets the clocks of joints to the knot, where what they read changes by the last digit.
    if (jumps_.look(before, knot.time, std::span(y_).first(states_)) || has_clocks_)
      begin_anew(knot.time, 0, y_);
    else
      integrator_.restart(knot.time, y_, 0);
    renew_touches();
    if (!events_.empty()) events_.begin();
  }

  /// y_ at a knot, from the end of the step before it: the state goes on as it did on the whole over that step.
  void carry_across(double knot) {
    const double end = integrator_.time(), length = end - integrator_.previous_time(), rest = knot - end;
    const std::span<const double> state = integrator_.state();
    // Of a shorter step the difference of the states is rounding.
    const double share = rest > 0 && length > rest ? rest / length : 0;
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = state[i] + share * (state[i] - step_start_[i]);
  }

  void begin_anew(double t, double first_step) {
    if (!integrator_.state_at(t, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
    begin_anew(t, first_step, y_);
  }
  void begin_anew(double t, double first_step, std::span<double> y) {
    if (!driven_.correct(t, y)) fail_at(t, solver_);
    integrator_.restart(t, y, first_step);
  }

  /// The rows due within the last step, up to a time in it. Between steps the state is interpolated and corrected like
  /// that of a step.
  void rows_until(double end) {
    const double now = integrator_.time();
    constexpr double rounding_of_time = 1e-12;  // of a time that sums of steps and products of an interval give
    const double rounding = rounding_of_time * now;
    for (; !times_.done() && times_.next() <= end + rounding; times_.advance()) {
      const double t = times_.next();
      const double at = t < end - rounding ? t : end;
      if (!integrator_.state_at(at, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
      if (at < now && !driven_.correct(t, y_)) fail_at(t, solver_);
      put_row(t);
    }
  }
  /// From y_.
  void put_row(double t) {
    if (!touches_.empty()) touching_.put(t, y_);
    rows_.put(t, std::span(y_).first(states_), y_.size() > states_ ? y_.back() : 0, ode_.take_corrections(),
              integrator_.statistics().evaluations);
    last_row_ = t;
    if (keeps_state_) keep_state(t);
  }
  /// y_ and the discrete state at a row.
  void keep_state(double t) {
    stood_at_.time = t;
    stood_at_.y.assign(y_.begin(), y_.end());
    if (const auto* const discrete = ask<DiscreteState>(solver_))
      stood_at_.discrete.assign(discrete->values().begin(), discrete->values().end());
  }
  void put_last_row() {
    const double now = integrator_.time();
    if (now <= last_row_) return;
    if (!integrator_.state_at(now, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
    put_row(now);
  }

  std::vector<std::string> warnings(const RunRecord& record) {
    std::vector<std::string> all = jumps_.warnings();
    const auto append = [&](std::vector<std::string> more) {
      for (std::string& text : more) all.push_back(std::move(text));
    };
    append(events_.warnings());
    append(touching_.tally().warnings());
    append(singular_.warnings(record.energy_drift));
    append(scales_.warnings(record.longest_step));
    if (!settings_.integrator.fixed_step() && settings_.absolute_tolerance < finest_tolerance_)
      all.push_back(fmt::format(
          "the absolute tolerance of {:g} is finer than rounding leaves positions, of which the largest is {:.3g} at the "
          "start: {:.1e} is taken. Steps that follow rounding are many, and their errors add up",
          settings_.absolute_tolerance, finest_tolerance_ / position_rounding_part, finest_tolerance_));
    if (!settings_.integrator.fixed_step())
      if (std::string text = coarse_tolerance(view_, solver_, settings_.absolute_tolerance); !text.empty())
        all.push_back(std::move(text));
    if (std::string text = rows_.warning(); !text.empty()) all.push_back(std::move(text));
    if (check_)
      if (auto text = check_->warning(record.steps)) all.push_back(std::move(*text));
    // Where nothing else tells why.
    if (std::string text = rows_.warning_of_energy(); all.empty() && !text.empty()) all.push_back(std::move(text));
    return all;
  }

  /// At the last step that was made.
  bool ended_next_to_singular() {
    if (!is_started_ || (view_.cut_joints().empty() && view_.constraints.empty())) return false;
    if (!integrator_.state_at(integrator_.time(), y_)) return false;
    const StateView state = rows_.state();
    if (solver_.decode(std::span(y_).first(states_), state) != Status::ok) return false;
    return is_next_to_singular(view_, as_const(state));
  }

  /// Adds the formula that has no value at the end of the run.
  void blame_formula(RunRecord& record) const {
    const std::string cause = last_trouble(is_started_ ? integrator_.previous_time() : 0);
    if (cause.empty()) return;
    record.failure += fmt::format(".\nA formula has no value: {}", cause);
    record.remedy = "Keep its arguments where it has one, for example by max(x, 1e-9) or if(condition, a, b).";
  }

  double expected_steps() const { return settings_.duration / std::min(settings_.step, settings_.max_step); }

  const SystemView& view_;
  const ConstStateView& start_;
  Solver& solver_;
  const RunSettings& settings_;
  const RunControl& control_;
  const double finest_tolerance_;
  SolverOde ode_, check_ode_;
  UnilateralMotion touching_;
  UnilateralOde driven_, check_driven_;
  Integration integrator_;
  RunRows rows_;
  bool is_started_ = false;
  std::size_t states_;
  std::vector<double> y_;  ///< the states, and the work where any may be done
  std::vector<double> step_start_;  ///< the same, before a step that may end at an abrupt knot
  RowTimes times_;
  double last_row_ = -1;  ///< its time
  Clock::time_point begun_;
  RunRecord record_;
  /// The next knot, and the end of the step before it.
  struct Stop {
    Knot knot;
    double end;
  };
  Stop stop_{{}, never};
  /// What ends the last step, while rows before it are still to come.
  struct Ahead {
    enum class What { nothing, touch, event, end } what = What::nothing;
    double time = 0;
  } ahead_;
  double limit_ = 0, repeated_until_ = -1;
  double end_of_steps_ = never;  ///< a time that no step goes past
  bool keeps_state_ = false;     ///< at each row, for the caller
  RunState stood_at_;
  Knots knots_;
  EventWatch events_;
  UnilateralWatch touches_;
  MotionJumps jumps_;
  bool has_clocks_;                 ///< the state contains the time
  SingularWatch singular_;
  PaceWatch pace_;
  StabilityWatch stability_;
  TimeScales scales_;
  std::optional<StepCheck> check_;  ///< of an integrator without error control
  double longest_step_ = 0, longest_of_scales_ = never;
  std::size_t stops_ = 0;
  const unsigned arithmetic_ = floating_point_control();
  double stepping_ = 0;                   ///< time spent in steps, s
  std::size_t evaluations_in_steps_ = 0;  ///< without those that interpolation makes between steps
};

}  // namespace

struct StepwiseRun::Parts {
  Parts(const System& system, Solver& solver, RunSettings given, std::span<RowSink* const> to, RunControl from)
      : system(system), settings(std::move(given)), sinks(to.begin(), to.end()), control(std::move(from)),
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
  parts_->run.ask_row(0, false);
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

RunRecord simulate(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
                   std::span<RowSink* const> sinks, const RunControl& control) {
  return Run(view, start, solver, settings, sinks, control).to_end();
}

}  // namespace polyform::host::simulation
