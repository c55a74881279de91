#include "explicit_pair.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace polyform::implicit {

namespace {

// In the opening steps grow by five; a step that is not so many times the one before was chosen by its error.
constexpr double growth_of_opening = 4.5;
// A trial takes this part of the evaluations so far, and at least so many steps after the first ones, whose length is
// not settled. Trials in vain then come to 2 % of a run at most, as the other method is rarely more than twice as
// costly.
constexpr double part_of_trial = 0.02;
constexpr std::size_t steps_of_trial = 10, steps_to_settle = 4;
constexpr double evaluations_to_first_trial = 6250;
// A trial of the low order is due sooner where after so many evaluations such a part of them was given up: kinks of the
// motion cost a high order more.
constexpr double evaluations_to_see_kinks = 400, part_of_kinks = 0.25;
// The first steps of the high order are compared with the last one of the opening: so many, beyond those whose length
// is a guess. One step tells little: it has to make so many times the way.
constexpr std::size_t steps_to_compare = 6, steps_of_guess = 2;
constexpr double clearly_faster = 2;
// The next trial is due when so many times the evaluations are spent; after one that an event has ended, sooner.
// After an early choice of the low order the high one is tried again when so many times the evaluations are spent.
constexpr double until_next_trial = 2, until_next_attempt = 1.2, until_high_again = 4;
// The part of the evaluations before a trial by which the present method is judged, and by how much the other one has
// to be better.
constexpr double part_of_judgement = 0.25, better = 1.05;
// The methods take twelve evaluations and six for a step, in which they come about as far as that.
constexpr double shorter_step = 0.5;

}  // namespace

ExplicitPair::ExplicitPair(ExplicitMethod high_order, ExplicitMethod low_order, double longest_step) noexcept
    : methods_{std::move(high_order), std::move(low_order)}, opens_(!std::isfinite(longest_step)) {}

Status ExplicitPair::start(double t, std::span<const double> y) noexcept {
  now_ = chosen_ = next_ = opens_ ? low : high;
  spent_ = time_of_low_ = time_of_opening_ = length_before_ = 0;
  trial_at_ = evaluations_to_first_trial;
  opening_ = opens_;
  held_ = early_ = false;
  way_ = of_chosen_ = since_trial_ = first_ = {};
  given_up_ = kinks_at_ = output_ = pace_of_opening_ = 0;
  // Each begins to count what it rejects.
  if (methods_[1 - now_].steps->start(t, y) != Status::ok) return Status::failed;
  return now().start(t, y);
}

Status ExplicitPair::restart(double t, std::span<const double> y, double first_step) noexcept {
  // Of a step that an event has ended, the part up to the event counts.
  if (time() > t) (opening_ ? time_of_opening_ : time_of_low_) -= opening_ || chosen_ == low ? time() - t : 0;
  if (on_trial()) {
    end_trial(until_next_attempt);
    if (early_) trial_at_ = std::min(trial_at_, until_next_attempt * spent_);
  }
  now_ = next_ = chosen_;
  // The opening tells nothing of what comes after an event.
  length_before_ = pace_of_opening_ = 0;
  since_restart_ = 0;
  return now().restart(t, y, first_step);
}

std::size_t ExplicitPair::rejected() const noexcept {
  return methods_[0].steps->rejected() + methods_[1].steps->rejected();
}

Status ExplicitPair::step(double t_limit) noexcept {
  if (next_ != now_ && change_to(next_) != Status::ok) return Status::failed;
  std::size_t before = now().rejected();
  if (now().step(t_limit) != Status::ok) {
    if (!on_trial()) return Status::failed;
    end_trial(until_next_trial);
    if (change_to(chosen_) != Status::ok) return Status::failed;
    before = now().rejected();
    if (now().step(t_limit) != Status::ok) return Status::failed;
  }
  const bool rejected = now().rejected() != before;
  count(before);
  if (opening_)
    look_at_opening(t_limit, rejected);
  else
    look();
  return Status::ok;
}

Status ExplicitPair::change_to(std::size_t method) noexcept {
  const double mean = of_chosen_.steps > 0 ? of_chosen_.time / static_cast<double>(of_chosen_.steps) : 0;
  const double step = method == chosen_ ? mean : method == low ? shorter_step * mean : mean / shorter_step;
  if (methods_[method].steps->restart(time(), state(), step) != Status::ok) return Status::failed;
  now_ = next_ = method;
  since_restart_ = 0;
  spent_ += std::exchange(output_, 0);
  way_ = {};
  return Status::ok;
}

void ExplicitPair::count(std::size_t rejected_before) noexcept {
  const double given_up = methods_[now_].evaluations * static_cast<double>(now().rejected() - rejected_before);
  const double cost = methods_[now_].evaluations + given_up + std::exchange(output_, 0);
  const double length = time() - previous_time();
  spent_ += cost;
  way_.evaluations += cost;
  way_.time += length;
  ++way_.steps;
  if (!on_trial()) {
    since_trial_.evaluations += cost;
    since_trial_.time += length;
    ++since_trial_.steps;
    if (++since_restart_ > steps_to_settle) given_up_ += given_up;
    if (pace_of_opening_ > 0 && since_restart_ > steps_of_guess) {
      first_.evaluations += cost;
      first_.time += length;
      ++first_.steps;
    }
  }
  if (opening_)
    time_of_opening_ += length;
  else if (chosen_ == low)
    time_of_low_ += length;
}

void ExplicitPair::look_at_opening(double t_limit, bool rejected) noexcept {
  const double length = time() - previous_time();
  const bool grows = length_before_ == 0 || length > growth_of_opening * length_before_;
  if (time() < t_limit) {
    opening_ = grows && !rejected;
    length_before_ = length;
  }
  if (opening_) return;
  of_chosen_ = {methods_[high].evaluations, length / shorter_step, 1};
  pace_of_opening_ = length / methods_[low].evaluations;
  chosen_ = next_ = high;
}

bool ExplicitPair::meets_kinks() const noexcept {
  return chosen_ == high && !held_ && since_trial_.evaluations >= evaluations_to_see_kinks &&
         spent_ >= until_next_trial * kinks_at_ && given_up_ > part_of_kinks * since_trial_.evaluations;
}

/// Looks once, after the first steps.
bool ExplicitPair::opening_was_faster() noexcept {
  if (pace_of_opening_ == 0 || first_.steps < steps_to_compare) return false;
  return std::exchange(pace_of_opening_, 0) > clearly_faster * first_.pace();
}

void ExplicitPair::look() noexcept {
  if (!on_trial()) {
    if (spent_ < (1 - part_of_judgement) * trial_at_) way_ = {};
    const bool slower = opening_was_faster(), kinks = meets_kinks();
    if (spent_ < trial_at_ && !kinks && !slower) return;
    if (kinks) kinks_at_ = spent_;
    early_ = slower || (early_ && trial_at_ < evaluations_to_first_trial);
    of_chosen_ = slower ? first_ : kinks ? since_trial_ : way_;
    if (!slower && !kinks && since_trial_.pace() > way_.pace()) of_chosen_ = since_trial_;
    next_ = 1 - chosen_;
    settled_ = false;
    return;
  }
  if (!settled_) {
    settled_ = way_.steps >= steps_to_settle;
    if (settled_) way_ = {};
    return;
  }
  if (way_.steps < steps_of_trial || way_.evaluations < part_of_trial * spent_) return;
  if (way_.pace() > better * of_chosen_.pace()) chosen_ = now_;
  end_trial(until_next_trial);
  // What the first steps of a run have led to need not hold for long.
  if (early_ && chosen_ == low) trial_at_ = std::min(trial_at_, until_high_again * spent_);
}

void ExplicitPair::end_trial(double next) noexcept {
  trial_at_ = std::max(evaluations_to_first_trial, next * spent_);
  next_ = chosen_;
  way_ = since_trial_ = {};
  given_up_ = 0;
}

}  // namespace polyform::implicit
