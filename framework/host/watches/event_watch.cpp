#include "framework/host/watches/event_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "framework/diagnostics.hpp"
#include "framework/host/expressions/approach.hpp"
#include "framework/host/watches/failure_at.hpp"

namespace polyform::host::inline watches {

namespace {

// A part of the time: the first step after an event. A contact that lasts a microsecond a minute after the start takes
// 1e-8.
constexpr double first_share = 1e-12;
// Steps after an event end at most at this multiple of the time since: what begins with the event and lasts T meets
// several stages of steps shorter than 4 T, in which error control sees it. From 1e-12 to 1 that takes 18 steps.
// Without error control the steps themselves must be good: a sixteenth of T is 0.2 rad of a contact's half wave, an
// error of 1e-5.
constexpr double growth = 4, growth_without_control = 0.0625;
// Steps to an event without error control end at this share of the way to it: the last stage of a longer one may lie
// beyond by its own error, or by rounding, and feel what begins there. From a way of 1e-3 to 1e-12 that takes 15 steps.
constexpr double approach_without_control = 0.75;
// The turn of anything that event functions move with, rad, from one sample to the next. Along a turn a function of the
// position is a sine. Two values and two rates tell this sine from any other, down to two samples a turn; an eighth
// leaves room for functions with a few waves more.
constexpr double share_of_turn = 0.125 * 2 * 3.14159265358979323846;
// So many samples a step has at most: a step's own evaluations cost about as much as some tens.
constexpr double samples_of_step = 64;
// So many first steps before its zero a function is crossed at once. A jump behind the zero may be so high that its
// error is too large in any step across it, however short.
constexpr double ways_crossed = 2;
// So many events in a row, each within this share of the time after the one before, are no motion.
constexpr std::size_t many = 32;
constexpr double no_time = 1e-7, first_silence = 1e-6;
// Steps of this share of the time, so many in a row, lead nowhere.
constexpr double standing = 1e-6;
constexpr std::size_t patience = 20000;

}  // namespace

EventWatch::EventWatch(const SystemView& view, Solver& solver, Integration& integrator, double step, bool fixed_step)
    : integrator_(integrator),
      elements_(view, solver),
      laws_(view, elements_),
      legs_(elements_),
      search_(elements_.size(), elements_.kinds()),
      states_(solver.state_size()),
      step_(step),
      pace_(fixed_step ? Pace{growth_without_control, approach_without_control} : Pace{growth, 1}) {
  if (empty()) return;
  y_.resize(integrator.state().size());
  other_y_.resize(y_.size());
  other_values_.resize(size());
  other_rates_.resize(size());
  values_before_.resize(size());
  settled_values_.resize(size());
  last_values_.resize(size());
  chatter_.resize(size());
  beside_pole_.resize(size());
}

double EventWatch::scale(double t) const { return std::max(std::abs(t), step_); }
double EventWatch::first_step() const { return first_share * scale(integrator_.time()); }

bool EventWatch::counts(std::size_t k, bool rising) const noexcept {
  if (chatter_[k].silent_until > integrator_.previous_time()) return false;
  const Crossing wanted = elements_.crossing(k);
  if (wanted == passed || wanted == hypotenuse_of_pole || !legs_.may_touch(k)) return false;
  return wanted == approached || wanted == Crossing::any || shows_pole(k) || (wanted == Crossing::rising) == rising;
}

void EventWatch::evaluate(double t, std::span<double> values, std::span<double> rates) {
  if (!find_state(t)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
  const double guard = elements_.evaluate(t, std::span(y_).first(states_), values, rates);
  if (t == integrator_.time()) {
    guard_ = guard;
    laws_.look();
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw FailureAt(t, fmt::format("the event function of {} is no number at t = {:.6g} s", elements_.name_of(k), t),
                      "Look at its fields, and at the motion of what it is attached to.");
}

double EventWatch::sample(double t, std::span<double> values, std::span<double> rates) {
  const double reach = find_rates(t, values, rates);
  legs_.see(values);
  return reach;
}

/// Returns what sample() does.
double EventWatch::find_rates(double t, std::span<double> values, std::span<double> rates) {
  evaluate(t, values, rates);
  const double turning = elements_.turning(), reach = turning > 0 ? share_of_turn / turning : never;
  const double first = integrator_.previous_time(), last = integrator_.time();
  if (!(last > first) || std::ranges::all_of(rates, [](double r) { return std::isfinite(r); })) return reach;
  // Differences along the interpolation: short beside what the search divides a step into, and long beside rounding,
  // which counts in the first steps behind an event, and most where steps have no other bound.
  constexpr double part_of_step = 1e-4, part_of_time = 1e-9;
  const double least = pace_.approach < 1 ? part_of_time : first_share;
  const double distance = std::max(part_of_step * (last - first), least * scale(t));
  double other = last - t > t - first ? last : first;
  if (t + distance < last)
    other = t + distance;
  else if (t - distance > first)
    other = t - distance;
  const double guard = guard_;
  evaluate(other, other_values_, other_rates_);
  guard_ = guard;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(rates[k])) rates[k] = (other_values_[k] - values[k]) / (other - t);
  return reach;
}

void EventWatch::begin() {
  std::ranges::copy(search_.values(), last_values_.begin());
  search_.begin(integrator_.time(), *this);
  laws_.accept(integrator_.time());
  // A pole by the clock is a knot, if the formula bends there: no step contains it.
  for (std::size_t k = 0; k < size(); ++k)
    if (shows_pole(k) && integrator_.time() > 0 && (last_values_[k] >= 0) != (search_.values()[k] >= 0))
      check_pole_of_clock(k);
}

bool EventWatch::pass_what_is_due() {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();  // of the time
  bool changed = false;
  note_limits(integrator_.time());
  for (std::size_t k = 0; k < size(); ++k) {
    const double value = search_.values()[k], rate = search_.rates()[k];
    // One that has still to change its sign is found in the first step.
    const bool is_due = std::isfinite(rate) && rate != 0 && value * rate >= 0 &&
                        std::abs(value) <= std::abs(rate) * rounding * integrator_.time();
    if (is_due && elements_.is_event(k) && counts(k, rate > 0)) changed = elements_.pass(k, rate > 0) || changed;
  }
  if (!changed) return false;
  std::ranges::copy(integrator_.state(), y_.begin());
  elements_.store(std::span(y_).first(states_));
  if (elements_.has_limits()) choose_limits_after_events();
  return true;
}

/// The interpolation may place the event a little before the solution that begins there does: then nothing has happened
/// yet, and it is found again. Others may change their signs in the same instant, with it or before it.
bool EventWatch::pass() {
  if (pace_.approach < 1) note(found_);
  begin();
  passed_ = (search_.values()[found_.function] >= 0) == rising_;
  changed_ = false;
  if (!elements_.has_changes()) return false;
  const bool found_passed = passed_;
  evaluate(integrator_.time(), other_values_, other_rates_);
  const auto passes = [&](std::size_t k, std::span<const double> now) {
    return k == found_.function ? found_passed : (values_before_[k] >= 0) != (now[k] >= 0) && counts(k, now[k] >= 0);
  };
  const auto pass = [&](std::size_t k, std::span<const double> now) {
    passed_ = true;
    changed_ = elements_.pass(k, now[k] >= 0) || changed_;
  };
  bool may_jump = false;
  for (std::size_t k = 0; k < size(); ++k)
    if (!elements_.is_of_limits(k) && passes(k, other_values_)) pass(k, other_values_), may_jump = true;
  std::span<const double> now = other_values_;
  if (elements_.has_limits() && may_jump) now = choose_limits_after_events();
  for (std::size_t k = 0; k < size(); ++k)
    if (elements_.is_of_limits(k) && passes(k, now)) pass(k, now);
  if (changed_) {
    elements_.store(std::span(y_).first(states_));
    settle();
  }
  return changed_;
}

/// A discrete state that changes can change the sign of event functions at once. If such a change is in the one
/// direction that is an event, it is that event: a latch that is pulled too hard when it catches lets go at once. A
/// function whose changes are events in any direction begins with its new sign.
void EventWatch::settle() {
  std::optional<std::size_t> last;
  for (std::size_t round = 0; round < many * size(); ++round) {
    elements_.evaluate(integrator_.time(), std::span(y_).first(states_), settled_values_, other_rates_);
    std::optional<std::size_t> turned;
    for (std::size_t k = 0; k < size() && !turned; ++k) {
      const bool rising = settled_values_[k] >= 0;
      if (elements_.crossing(k) != Crossing::any && (other_values_[k] >= 0) != rising && counts(k, rising)) turned = k;
    }
    if (!turned) return;
    std::swap(other_values_, settled_values_);
    if (!elements_.pass(*turned, other_values_[*turned] >= 0)) continue;
    elements_.store(std::span(y_).first(states_));
    last = turned;
    ++count_;
  }
  throw Failure(Exit::simulation_failed,
                fmt::format("{} changes its discrete state without end at t = {:.9g} s", elements_.name_of(*last),
                            integrator_.time()),
                "Its events undo each other at the same motion: change its fields, or report this to its author.");
}

bool EventWatch::end_step() {
  if (!elements_.ends_steps()) return false;
  evaluate(integrator_.time(), other_values_, other_rates_);
  if (!elements_.end_step()) return false;
  elements_.store(std::span(y_).first(states_));
  return true;
}

void EventWatch::begin_after_event() {
  restarted_ = integrator_.time();
  if (changed_) begin();
  if (passed_) ++count_;
}

std::optional<double> EventWatch::find() {
  const double t = integrator_.time();
  check_standstill();
  legs_.begin(search_.values());
  const std::optional<SignChange> found = find_counted(t);
  if (!found) return laws_.accept(t), std::nullopt;
  check_poles_beside(*found);
  take(*found);
  return found->before;
}

/// Takes it for the event to be passed.
void EventWatch::take(const SignChange& event) {
  // A function that flickers by rounding is found again and again without being passed. Steps of fixed length come to
  // an event in many parts, which are no flicker.
  if (pace_.approach == 1 && elements_.crossing(event.function) != approached) note(event);
  found_ = event;
  rising_ = !(search_.values()[event.function] >= 0);
  if (!elements_.has_changes()) return;
  evaluate(event.before, values_before_, other_rates_);
  elements_.note_limits();
}

bool EventWatch::is_due() {
  const double t = integrator_.time(), nearest = ways_crossed * first_step();
  std::optional<SignChange> due;
  for (std::size_t k = 0; k < size(); ++k) {
    const double value = search_.values()[k], rate = search_.rates()[k];
    const bool rising = !(value >= 0), comes = std::isfinite(rate) && rate != 0 && rising == (rate > 0);
    if (!comes || !elements_.is_event(k) || !counts(k, rising)) continue;
    // What is slower than this is told from rest by its value, not by its way.
    const double way = std::abs(value / rate);
    if (std::max(way, search_.noise(k) / std::abs(rate)) > nearest || is_beside_pole(way)) continue;
    if (!due || t + way < due->time) due = SignChange{t + way, t, k};
  }
  if (due) take(*due);
  return due.has_value();
}

/// Past slopes that are zero where nothing touches zero, up to t.
std::optional<SignChange> EventWatch::find_counted(double t) {
  // Where the integrator has begun anew there was no motion yet that would tell rates.
  if (std::ranges::any_of(search_.rates(), [](double r) { return !std::isfinite(r); }))
    search_.begin(integrator_.previous_time(), *this);
  for (;;) {
    std::optional<SignChange> found = search_.find(t, located * scale(t), *this);
    const bool is_place = found && elements_.crossing(found->function) == approached;
    if (!found || !(is_place || shows_pole(found->function))) return found;
    // A step passes the top of a peak only if it begins there: so one stage of the step before has seen it. Where a
    // divisor is zero at the top, it begins a little before.
    if (is_place && found->before - integrator_.previous_time() >
                        (beside_pole_[found->function] ? 3 * widest_crossing() : 10 * first_step()))
      return found;
    if (!is_place) check_pole(found->function, found->time);
    if (elements_.crossing(found->function) == pole) return found;
    const std::optional<std::size_t> other = another_at(*found);
    if (other) return SignChange{found->time, found->before, *other};
    if (!(found->time < t)) {
      begin();
      return std::nullopt;
    }
    search_.begin(found->time, *this);
  }
}

/// Another function that changes its sign in the same instant, and counts.
std::optional<std::size_t> EventWatch::another_at(const SignChange& found) {
  const double guard = guard_;
  evaluate(found.before, values_before_, other_rates_);
  evaluate(found.time, other_values_, other_rates_);
  guard_ = guard;
  for (std::size_t k = 0; k < size(); ++k)
    if (elements_.crossing(k) != touched_pole && elements_.crossing(k) != approached &&
        (values_before_[k] >= 0) != (other_values_[k] >= 0) && counts(k, other_values_[k] >= 0))
      return k;
  return std::nullopt;
}

void EventWatch::note(const SignChange& event) {
  Chatter& c = chatter_[event.function];
  c.streak = event.time - c.last <= no_time * scale(event.time) ? c.streak + 1 : 0;
  c.last = event.time;
  if (c.streak < many) return;
  c.streak = 0;
  // What passes zero slowly flickers by rounding, once. A law without a motion in between flickers again when it is
  // looked at again.
  if (c.silence > 0) c.first_silent = c.silent_from;
  c.silence = c.silence == 0 ? first_silence * scale(event.time) : 2 * c.silence;
  if (c.silent_from == -never) c.silent_from = event.time;
  c.silent_until = event.time + c.silence;
}

/// A law that jumps at each sign change keeps an integrator with error control at steps that are next to nothing.
void EventWatch::check_standstill() {
  const double t = integrator_.time();
  for (std::size_t k = 0; k < chatter_.size(); ++k) {
    Chatter& c = chatter_[k];
    if (c.silent_until <= t || ++c.silent_steps < patience) continue;
    if (t - c.silent_from > static_cast<double>(c.silent_steps) * standing * scale(t)) continue;
    throw Failure(Exit::simulation_failed,
                  fmt::format("the event of {} changes its sign without end at t = {:.9g} s, and no time passes",
                              elements_.name_of(k), t),
                  "Such a law has no motion there (dry friction whose sign flips with the speed is one, a relay along "
                  "whose switching line the motion would slide another): smooth it, as by tanh(x/width).");
  }
}

std::optional<double> EventWatch::nearer_end(double event) const {
  const double from = integrator_.previous_time();
  // Of a quotient that stays bounded where its divisor is zero nothing begins there.
  const double share = elements_.is_event(found_.function) ? pace_.approach : 1;
  const bool feels =
      share < 1 || integrator_.interpolation_evaluated() || elements_.crossing(found_.function) == approached;
  if (!feels || !(event - from > 10 * first_step())) return std::nullopt;
  return from + share * (event - from) - (beside_pole_[found_.function] ? widest_crossing() : 0);
}

bool EventWatch::found_peak() const { return elements_.crossing(found_.function) == approached; }

double EventWatch::longest_step() {
  double longest = std::min(guard_, samples_of_step * search_.reach());
  std::size_t nearest = size();
  for (std::size_t k = 0; k < size(); ++k) {
    const double value = search_.values()[k], rate = search_.rates()[k];
    if (!std::isfinite(rate) || rate == 0) continue;
    if (elements_.crossing(k) == passed) {
      longest = std::min(longest, elements_.longest_step(k, value, rate));
      continue;
    }
    if (chatter_[k].silent_until > integrator_.time() || (shows_pole(k) && pace_.approach == 1)) continue;
    if (elements_.crossing(k) == hypotenuse_of_pole || !legs_.may_touch(k)) continue;
    // A step to a zero may end a rounding before it: the next one crosses it, and does not go on.
    const double size = std::abs(value), noise = search_.noise(k);
    if ((value >= 0) == (rate < 0)) {
      const double more = k == stuck_.function && value == stuck_.value ? stuck_.factor : 1;
      const double share = elements_.crossing(k) == approached ? 1 : pace_.approach;
      double to_zero = more * std::max(share * size, noise) / std::abs(rate);
      if (elements_.crossing(k) == approached) {
        const double way = size / std::abs(rate);
        beside_pole_[k] = is_beside_pole(way);
        if (beside_pole_[k]) to_zero = way > 2 * widest_crossing() ? way - widest_crossing() : never;
      }
      if (shows_pole(k)) to_zero = step_to_pole(size / std::abs(rate), to_zero);
      if (to_zero < longest) nearest = k;
      longest = std::min(longest, to_zero);
    } else if (size > noise)
      longest = std::min(longest, receding * size / std::abs(rate));
  }
  // A step to a zero may be too short to change the last digit of a coordinate, as of bodies that just touch at rest:
  // the next one is longer.
  if (nearest < size()) {
    const bool again = nearest == stuck_.function && search_.values()[nearest] == stuck_.value;
    stuck_ = {nearest, search_.values()[nearest], again ? 2 * stuck_.factor : 1};
  }
  if (first_steps_ > 0) longest = std::min(longest, step_at_beginning());
  if (restarted_ > -never) longest = std::min(longest, pace_.growth * (integrator_.time() - restarted_));
  return std::max(longest, first_step());
}

std::vector<std::string> EventWatch::warnings() const {
  std::map<std::string, double> begun;  // an element may have many events of one name
  for (std::size_t k = 0; k < chatter_.size(); ++k) {
    if (!(chatter_[k].first_silent < never)) continue;
    double& first = begun.try_emplace(elements_.name_of(k), never).first->second;
    first = std::min(first, chatter_[k].first_silent);
  }
  std::vector<std::string> all = laws_.warnings();
  for (const auto& [name, first] : begun)
    all.push_back(fmt::format(
        "the event of {} changes its sign without end from t = {:.6g} s on, while no time passes: it is checked "
        "only now and then. Such a law has no motion in between (dry friction whose sign flips with the speed is "
        "one): smooth it",
        name, first));
  return all;
}

}  // namespace polyform::host::watches
