#include "framework/host/simulation/run_stops.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "framework/host/watches/failure_at.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline simulation {

RunStops::RunStops(const SystemView& view, Solver& solver, RunMotion& motion, const RunSettings& settings)
    : motion_(motion),
      start_of_run_(settings.start_time),
      end_of_run_(settings.end_time()),
      knots_(view),
      pole_(view, settings.start_time, settings.end_time()),
      events_(view, solver, motion.integrator(), settings.step, settings.integrator.fixed_step()),
      touches_(motion.touching(), motion.integrator(), settings.step, settings.relative_tolerance),
      jumps_(view, solver),
      has_clocks_(!RheonomicJoints(view).empty()),
      step_start_(motion.y().size()) {
  if (!settings.integrator.fixed_step()) energy_.emplace(view, solver, 0);
  for (const ElementEvents::Source& source : sources()) knots_.add(*source.events, source.type);
}

void RunStops::begin(double t) {
  begin_from(t - 2 * time_resolution(t));
  if (!events_.empty()) events_.note_beginning();
}

void RunStops::pass_what_is_due(double t) {
  if (!(t > 0) || events_.empty() || !events_.pass_what_is_due()) return;
  std::ranges::copy(events_.state(), motion_.y().begin());
  motion_.begin_anew_from_state(t, 0);
  begin_searches();
}

void RunStops::begin_searches() {
  if (!events_.empty()) events_.begin();
  if (!touches_.empty()) touches_.begin();
}

void RunStops::begin_behind_jump() {
  if (!events_.empty() && events_.choose_limits()) {
    std::ranges::copy(events_.state(), motion_.y().begin());
    motion_.begin_anew_from_state(motion_.time(), 0);
  }
  begin_searches();
  if (!events_.empty()) events_.note_beginning();
}

void RunStops::begin_from(double t) {
  knots_.pass(t);
  begin_searches();
}

void RunStops::renew() {
  if (!events_.empty()) events_.note_limits(motion_.time());
  motion_.begin_anew(motion_.time(), 0);
  renew_touches();
  begin_behind_jump();
}

double RunStops::plan() {
  const double now = motion_.time();
  knot_ = knots_.next();
  // A step that ends shortly before a knot sees nothing of what begins there; the next begins at the knot. Nothing
  // jumps at the start, whatever values there were before it.
  end_ = knot_.abrupt ? std::max(knot_.time - time_resolution(knot_.time), start_of_run_) : knot_.time;
  pole_.check(now);
  double limit = std::min({end_of_run_, end_, pole_.end_of_steps()});
  if (!events_.empty()) limit = std::min(limit, now + events_.longest_step());
  if (!touches_.empty()) limit = std::min(limit, now + touches_.longest_step());
  return step_again_until_ > now ? std::min(limit, step_again_until_) : limit;
}

bool RunStops::is_at_event() {
  if (events_.empty() || !events_.is_due()) return false;
  found_at_ = motion_.time();
  due_before_ = std::max(found_at_, events_.found_at());
  return true;
}

void RunStops::before_step(double limit) {
  if (knot_.abrupt && limit >= end_) std::ranges::copy(motion_.integrator().state(), step_start_.begin());
}

RunStops::Found RunStops::find() {
  if (is_driven() && !touches_.empty())
    if (const std::optional<double> nearer = touches_.hidden_motion()) {
      step_again_until(*nearer);
      return Found::step_again;
    }
  const double touch = touches_.empty() ? never : touches_.find().value_or(never);
  double event = never;
  try {
    if (!events_.empty()) event = events_.find().value_or(never);
  } catch (const FailureAt& failure) {
    // A motion that touches something before does not come to this place.
    if (failure.time() <= touch) throw;
  }
  saw_peak_ = steps_at_peak_ > 0 || is_at_knot();
  if (steps_at_peak_ > 0) --steps_at_peak_;
  found_at_ = std::min(touch, event);
  if (found_at_ == never) {
    if (!touches_.empty()) touches_.settle();
    return Found::nothing;
  }
  const bool touches = touch <= event;
  due_before_ = touches ? found_at_ : std::max(found_at_, events_.found_at());
  const std::optional<double> nearer = touches ? touches_.nearer_end(touch) : events_.nearer_end(event);
  if (!nearer) return touches ? Found::touch : Found::event;
  // The step that is made once more ends at the peak, and the next begins there.
  steps_at_peak_ = !touches && events_.found_peak() ? 2 : 0;
  step_again_until(*nearer);
  return Found::step_again;
}

/// The last step once more, to `end` at most; an event is then looked for anew.
void RunStops::step_again_until(double end) {
  const double from = motion_.integrator().previous_time();
  motion_.stand_at(from);
  motion_.restart(from, end - from);
  begin_searches();
  step_again_until_ = end;
}

EnergyJump RunStops::pass_touch() {
  if (!events_.empty()) events_.note_limits(found_at_);
  motion_.stand_at(found_at_);
  const double before = energy_at(found_at_);
  touches_.pass(found_at_, motion_.y());
  motion_.begin_anew_from_state(found_at_, 0);
  const double change = energy_at(found_at_) - before;
  begin_behind_jump();
  return {found_at_, change};
}

double RunStops::energy_at(double t) {
  if (!energy_) return 0;
  energy_->look(t, motion_.y());
  return energy_->balance();
}

void RunStops::pass_event() {
  const double first_step = events_.first_step(), limit = std::min(end_, end_of_run_);
  const double event = std::min(events_.found_at(), limit);
  // A signal that comes to rest on its limit is there up to rounding: what its last digit shows is no event.
  motion_.cross({found_at_, event, std::min(event + first_step, limit), limit, events_.widest_crossing(),
                 !events_.found_beside_limits()},
                first_step);
  if (events_.pass()) {
    // The solver has the discrete state from now on, the integrator still the one before.
    std::ranges::copy(events_.state(), motion_.y().begin());
    motion_.begin_anew_from_state(motion_.time(), events_.first_step());
  }
  events_.begin_after_event();
  renew_touches();
}

void RunStops::end_step() {
  if (events_.empty()) return;
  const double now = motion_.time(), length = now - motion_.integrator().previous_time();
  if (!events_.end_step()) return;
  std::ranges::copy(events_.state(), motion_.y().begin());
  motion_.begin_anew_from_state(now, length);
  events_.begin();
  renew_touches();
}

/// If the forces have changed at the time of the motion, contacts may have changed too.
void RunStops::renew_touches() {
  if (touches_.empty()) return;
  const double now = motion_.time();
  motion_.stand_at(now);
  motion_.touching().renew(now, motion_.y());
  motion_.begin_anew_from_state(now, 0);
  touches_.begin();
}

void RunStops::pass_knot() {
  motion_.integrator().stand_at_end();
  steps_at_peak_ = 1;
  knots_.pass(knot_.time);
  ++knots_passed_;
  if (!knot_.abrupt) return;
  if (!events_.empty()) events_.note_limits(motion_.time());
  carry_across(knot_.time);
  // After a jump of a velocity, the constraints no longer allow the state: the correction makes it fit. It also sets
  // the clocks of joints to the knot, where the numbers that they read change by the last digit.
  if (jumps_.look(end_, knot_.time, motion_.solver_states()))
    pass_jump();
  else if (has_clocks_)
    motion_.begin_anew_from_state(knot_.time, 0);
  else
    motion_.restart(knot_.time, 0);
  renew_touches();
  begin_behind_jump();
}

/// What is prescribed jumps at the knot: the impulse that carries the bodies along does work.
void RunStops::pass_jump() {
  const double before = jumps_.energy(end_, motion_.integrator().state().first(motion_.states()));
  motion_.correct(knot_.time);
  motion_.add_work(jumps_.energy(knot_.time, motion_.solver_states()) - before);
  motion_.restart(knot_.time, 0);
}

/// The state at a knot, from the end of the step before it: it goes on as it did on the whole over that step.
void RunStops::carry_across(double knot) {
  const Integration& integrator = motion_.integrator();
  const double end = integrator.time(), length = end - integrator.previous_time(), rest = knot - end;
  const std::span<const double> state = integrator.state();
  const std::span<double> y = motion_.y();
  // For a shorter step the difference of the states would be rounding, and in steps over contacts it may be a jump.
  const double share = motion_.stepped().empty() && rest > 0 && length > rest ? rest / length : 0;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = state[i] + share * (state[i] - step_start_[i]);
}

std::vector<std::string> RunStops::warnings() const {
  std::vector<std::string> all = jumps_.warnings();
  std::ranges::copy(events_.warnings(), std::back_inserter(all));
  std::ranges::copy(motion_.tally().warnings(), std::back_inserter(all));
  std::ranges::copy(motion_.stepped().warnings(), std::back_inserter(all));
  return all;
}

}  // namespace polyform::host::inline simulation
