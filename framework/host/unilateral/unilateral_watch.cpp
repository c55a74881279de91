#include "framework/host/unilateral/unilateral_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline unilateral {

namespace {

// A part of the time: an event is located so well.
constexpr double touch_located = 1e-13;
// Part of a step over which rates are differenced: short compared with what the search divides a step into, long
// compared with rounding.
constexpr double part_of_touch_step = 1e-4;
// Of the largest value that a function has had: what changes by more over that part would go up and down a hundred
// times within the step, which no integrator takes so long; it has jumped, or is rounding.
constexpr double most_in_part = 0.01;
// The turn from one sample to the next, rad.
constexpr double touch_share_of_turn = 0.125 * 2 * 3.14159265358979323846;
constexpr double touch_samples_of_step = 64;
// A step may go beyond the time that a gap takes to close at its rate by so much; the search finds where it closes.
constexpr double beyond_closing = 1.5;
// A part of the time: no gap holds a step shorter than this.
constexpr double shortest_touch_step = 1e-9;
// So many events, each within this share of the time after the one before, are no motion.
constexpr std::size_t many_touches = 2000;
constexpr double no_touch_time = 1e-12;
// Steps that are longer than so many times what an event is located to can still be halved.
constexpr double times_touch_located = 100;
// Of the largest value of its kind: a gap that has never been wider sets no pace of samples, nor does a force or speed.
constexpr double small_for_pace = 1e-4;
// Halvings of a sixteenth of a step where the gap of a place that comes or goes jumps: a thousandth of the step.
constexpr std::size_t halvings_at_jumps = 6;

}  // namespace

UnilateralWatch::UnilateralWatch(UnilateralMotion& motion, Integration& integrator, double step,
                                 double relative_tolerance)
    : motion_(motion),
      integrator_(integrator),
      search_(motion.size(), motion.kinds(), small_for_pace),
      step_(step),
      tolerance_(relative_tolerance),
      y_(integrator.state().size()),
      other_y_(y_),
      middle_y_(y_),
      other_values_(motion.size()),
      other_rates_(motion.size()),
      seen_(motion.size()) {}

double UnilateralWatch::scale(double t) const { return std::max(std::abs(t), step_); }

bool UnilateralWatch::counts(std::size_t, bool rising) const noexcept { return !rising; }

std::size_t UnilateralWatch::halvings(std::size_t k) const noexcept {
  return motion_.may_jump(k) ? halvings_at_jumps : Signals::halvings(k);
}

void UnilateralWatch::evaluate(double t, std::span<double> values, std::span<double> rates) {
  if (!integrator_.state_at(t, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
  evaluated_at_ = unknown_time;
  motion_.evaluate(t, y_, values, rates);
  evaluated_at_ = t;
}

/// Rates that the motion does not know are differences to a state nearby, which is evaluated first: so what was
/// evaluated last is the sample. At the beginning of a step that goes on from the one before, they are those of its
/// end.
double UnilateralWatch::sample(double t, std::span<double> values, std::span<double> rates) {
  const double first = integrator_.previous_time(), last = integrator_.time();
  const bool goes_on = goes_on_ && t == first;
  const double distance = last > first ? part_of_touch_step * (last - first) : 0,
               other = t + distance <= last ? t + distance : t - distance;
  const bool is_near = !goes_on && distance > 0 && motion_.any_closed();
  if (goes_on)
    std::ranges::copy(rates, other_rates_.begin());
  else if (is_near)
    evaluate(other, other_values_, other_rates_);
  evaluate(t, values, rates);
  const double turning = motion_.set().turning(), reach = turning > 0 ? touch_share_of_turn / turning : never;
  if (std::ranges::all_of(rates, [](double r) { return std::isfinite(r); })) return reach;
  if (!goes_on && !is_near && distance > 0) evaluate(other, other_values_, other_rates_);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) seen_[k] = std::max(seen_[k], std::abs(values[k]));
    if (std::isfinite(rates[k])) continue;
    const double found = goes_on ? other_rates_[k] : distance > 0 ? (other_values_[k] - values[k]) / (other - t) : 0;
    const bool has_jumped = std::abs(found) * distance > most_in_part * seen_[k] ||
                            (motion_.may_jump(k) && std::abs(found) > motion_.fastest_rate(k));
    rates[k] = std::isfinite(found) && !has_jumped ? found : 0;
  }
  return reach;
}

std::optional<double> UnilateralWatch::value(double t, std::size_t k) {
  if (!integrator_.state_at(t, y_)) throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
  evaluated_at_ = unknown_time;
  return motion_.value(t, y_, k);
}

void UnilateralWatch::begin() {
  goes_on_ = false;
  motion_.look_at_all();
  search_.begin(integrator_.time(), *this);
  const bool shortfalls = motion_.allow_shortfalls(search_.values());
  if (motion_.allow_overlaps() || shortfalls) search_.begin(integrator_.time(), *this);
}

void UnilateralWatch::look_at_step(double from, double to) {
  evaluated_at_ = unknown_time;
  if (!integrator_.state_at(from, other_y_) || !integrator_.state_at(to, y_))
    throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
  motion_.look_at_step(from, other_y_, to, y_);
}

std::optional<double> UnilateralWatch::hidden_motion() {
  const double from = integrator_.previous_time(), to = integrator_.time(), middle = 0.5 * (from + to);
  if (!(to - from > times_touch_located * touch_located * scale(to))) return std::nullopt;
  evaluated_at_ = unknown_time;
  if (!integrator_.state_at(from, other_y_) || !integrator_.state_at(middle, middle_y_) ||
      !integrator_.state_at(to, y_))
    throw Failure(Exit::simulation_failed, std::string(integrator_.failure()));
  return motion_.hides_motion(from, other_y_, middle, middle_y_, to, y_) ? std::optional(middle) : std::nullopt;
}

std::optional<double> UnilateralWatch::find() {
  const double t = integrator_.time();
  // The rates at the beginning are those of the step that begins there.
  const double from = integrator_.previous_time();
  look_at_step(from, t);
  search_.begin(from, *this);
  goes_on_ = false;
  const std::optional<std::size_t> ended = motion_.find_ended(search_.values());
  const std::optional<std::size_t> pushing = ended ? ended : motion_.find_pushing(search_.values());
  pushes_ = pushing && !ended;
  const std::optional<std::size_t> settled = pushing ? std::nullopt : motion_.find_settled(t - from, tolerance_);
  settles_ = settled.has_value();
  const std::optional<std::size_t> at_once = pushing ? pushing : settled;
  const std::optional<SignChange> found =
      at_once ? SignChange{from, from, *at_once} : search_.find(t, touch_located * scale(t), *this);
  goes_on_ = !found;
  if (!found) return std::nullopt;
  found_ = *found;
  streak_ = found->time - last_ <= no_touch_time * scale(found->time) ? streak_ + 1 : 0;
  last_ = found->time;
  if (streak_ > many_touches)
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} changes between touching, sticking and sliding without end at t = {:.9g} s, and no "
                              "time passes",
                              motion_.set().name_of(found->function / UnilateralMotion::functions_per_point), t),
                  "Use a compliant law there.");
  if (UnilateralMotion::is_passed_after(found->function)) return found->time;
  return motion_.may_jump(found->function) && comes_to_be(*found) ? found->time : found->before;
}

/// Whether the place of a point that closes begins at the event, or is another part of the surface from there on:
/// before it there is nothing to touch.
bool UnilateralWatch::comes_to_be(const SignChange& found) {
  const std::size_t k = found.function / UnilateralMotion::functions_per_point;
  evaluate(found.time, other_values_, other_rates_);
  if (!motion_.set().has_place(k)) return false;
  const std::uint32_t feature = motion_.set().feature(k);
  evaluate(found.before, other_values_, other_rates_);
  return !motion_.set().has_place(k) || motion_.set().feature(k) != feature;
}

/// Just after an impact a gap is smaller than the error that a step may have. Then the interpolation may have it closed
/// while its rate still opens it, which no motion does: steps of half the length come to know the flight between.
std::optional<double> UnilateralWatch::nearer_end(double event) {
  const double from = integrator_.previous_time(), to = integrator_.time();
  if (!(to - from > times_touch_located * touch_located * scale(to))) return std::nullopt;
  if (settles_) return std::nullopt;
  evaluate(event, other_values_, other_rates_);
  return motion_.opens(found_.function) ? std::optional(0.5 * (from + to)) : std::nullopt;
}

void UnilateralWatch::pass(double t, std::span<double> y) {
  ++count_;
  evaluate(t, other_values_, other_rates_);
  motion_.settle(integrator_.previous_time(), t);
  // Friction that pushes what slides knows its direction wrongly: so all is decided anew, as at the start.
  if (settles_)
    motion_.guide();
  else if (pushes_)
    motion_.renew(t, y);
  else
    motion_.pass(t, y, found_.function);
}

void UnilateralWatch::settle() {
  const double t = integrator_.time();
  if (evaluated_at_ != t) evaluate(t, other_values_, other_rates_);
  motion_.settle(integrator_.previous_time(), t);
}

double UnilateralWatch::longest_step() const {
  double longest = std::min(touch_samples_of_step * search_.reach(), beyond_closing * motion_.closes_in());
  const auto values = search_.values(), rates = search_.rates();
  for (std::size_t k = UnilateralMotion::ending; k < values.size(); k += UnilateralMotion::functions_per_point)
    if (values[k] > 0 && rates[k] < 0) longest = std::min(longest, beyond_closing * values[k] / -rates[k]);
  return std::max(longest, shortest_touch_step * scale(integrator_.time()));
}

}  // namespace polyform::host::inline unilateral
