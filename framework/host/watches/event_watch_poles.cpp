// Poles of formulas along a run: a motion ends before them, and passes what only looks like one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/watches/event_watch.hpp"
#include "framework/host/watches/failure_at.hpp"

namespace polyform::host::inline watches {

namespace {

// Part of a step: the distance from a pole at which its formulas are looked at first. The nearer look is so many times
// farther away than the pole is located.
constexpr double share_of_step_to_pole = 1e-3, share_of_step_to_touch = 1e-2;
constexpr double times_located = 20;
// The same of the time, where the clock alone tells the place.
constexpr double share_of_time_to_pole = 1e-6;
// A part of the time: a quotient of two that are zero, such as sin(x)^2/(1 - cos(x)), is rounding for x below 1e-8.
constexpr double widest_share = 1e-6;

}  // namespace

/// The state at t, in y_. At the very instant a quotient may be rounding, and states that are found by evaluations are
/// none: they are those between two beside it.
bool EventWatch::find_state(double t) {
  if (integrator_.state_at(t, y_)) return true;
  const double aside = 0.1 * widest_crossing();
  const double before = std::max(integrator_.previous_time(), t - aside);
  const double behind = std::min(integrator_.time(), t + aside);
  if (!(behind > before) || !integrator_.state_at(before, other_y_) || !integrator_.state_at(behind, y_)) return false;
  const double share = (t - before) / (behind - before);
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = other_y_[i] + share * (y_[i] - other_y_[i]);
  return true;
}

bool EventWatch::shows_pole(std::size_t k) const {
  return elements_.crossing(k) == pole || elements_.crossing(k) == touched_pole;
}

/// A bend in the same place may have been located a rounding before a pole.
void EventWatch::check_poles_beside(const SignChange& found) {
  std::size_t poles = 0;
  for (std::size_t k = 0; k < size(); ++k) poles += k != found.function && elements_.crossing(k) == pole ? 1 : 0;
  if (poles == 0) return;
  const double guard = guard_, behind = std::min(found.time + located * scale(found.time), integrator_.time());
  evaluate(found.before, values_before_, other_rates_);
  evaluate(behind, other_values_, other_rates_);
  guard_ = guard;
  for (std::size_t k = 0; k < size(); ++k) values_before_[k] *= other_values_[k];
  for (std::size_t k = 0; k < size(); ++k)
    if (k != found.function && elements_.crossing(k) == pole && values_before_[k] < 0) check_pole(k, found.time);
}

/// At a time within the last step, or beside it along the way that the step has gone.
double EventWatch::size_of_pole(std::size_t k, double t) {
  const double first = integrator_.previous_time(), last = integrator_.time();
  if (t >= first && t <= last) {
    evaluate(t, other_values_, other_rates_);
    return elements_.size_at_pole(k);
  }
  if (!integrator_.state_at(first, y_)) return 0;
  const std::span<const double> end = integrator_.state();
  for (std::size_t i = 0; i < y_.size(); ++i) other_y_[i] = y_[i] + (t - first) / (last - first) * (end[i] - y_[i]);
  elements_.evaluate(t, std::span(other_y_).first(states_), other_values_, other_rates_);
  return elements_.size_at_pole(k);
}

/// Where a formula grows without bound no motion leads past, whatever a step makes of it. A quotient that stays bounded
/// is passed like a switch. Steps to an event become shorter than what tells the two apart: the way that they go is
/// followed further.
void EventWatch::check_pole(std::size_t k, double t) {
  const double first = integrator_.previous_time(), last = integrator_.time();
  const bool touched = elements_.crossing(k) == touched_pole, fixed = pace_.approach < 1;
  const double step = fixed ? std::max(last - first, step_) : last - first;
  double far = (touched ? share_of_step_to_touch : share_of_step_to_pole) * step;
  const double least = times_located * located * scale(t) / nearer_to_pole;
  // A step that ends at a bend in the same place is followed by one of a rounding.
  const bool beside = fixed || far < least;
  far = std::max(far, least);
  const auto size = [&](double distance) {
    double largest = 0;
    for (const double at : {t - distance, t + distance})
      if (beside || (at >= first && at <= last)) largest = std::max(largest, size_of_pole(k, at));
    return largest;
  };
  const double guard = guard_;
  const SizesAtPole sizes{size(far), size(std::sqrt(nearer_to_pole) * far), size(nearer_to_pole * far)};
  guard_ = guard;
  refuse_pole(k, t, sizes);
}

/// At the state of the time at which the clock passed it.
void EventWatch::check_pole_of_clock(std::size_t k) {
  const double t = integrator_.time(), far = share_of_time_to_pole * scale(t);
  const auto size = [&](double distance) {
    double largest = 0;
    for (const double at : {t - distance, t + distance}) {
      elements_.evaluate(at, std::span(y_).first(states_), other_values_, other_rates_);
      largest = std::max(largest, elements_.size_at_pole(k));
    }
    return largest;
  };
  refuse_pole(k, t, {size(far), size(std::sqrt(nearer_to_pole) * far), size(nearer_to_pole * far)});
}

void EventWatch::refuse_pole(std::size_t k, double t, const SizesAtPole& sizes) const {
  if (!grows_without_bound(sizes)) return;
  elements_.note_pole(k, t);
  throw FailureAt(t, fmt::format("no motion leads past t = {:.9g} s", t));
}

/// Next to the zero of a divisor a quotient may be rounding. A fixed step goes over that place: its middle and its end
/// lie behind it.
double EventWatch::step_to_pole(double way, double share_of_way) const {
  const double widest = widest_crossing();
  return way < 4 * widest ? std::max(3 * way, widest) : share_of_way;
}

/// Whether a divisor is zero where a function is that has so far to go, s.
bool EventWatch::is_beside_pole(double way) const {
  constexpr double same = 0.1;
  for (std::size_t j = 0; j < size(); ++j)
    if (shows_pole(j) && legs_.may_touch(j) && search_.rates()[j] != 0 &&
        std::abs(-search_.values()[j] / search_.rates()[j] - way) < same * way + widest_crossing())
      return true;
  return false;
}

double EventWatch::widest_crossing() const { return widest_share * scale(integrator_.time()); }

}  // namespace polyform::host::watches
