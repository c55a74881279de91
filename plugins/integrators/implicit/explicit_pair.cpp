#include "explicit_pair.hpp"

#include <utility>

namespace polyform::implicit {

namespace {

// A trial takes this part of the evaluations so far, and at least so many steps after the first ones, whose length is
// not settled. Trials in vain then come to 2 % of a run at most, as the other method is rarely more than twice as
// costly.
constexpr double part_of_trial = 0.02;
constexpr std::size_t steps_of_trial = 10, steps_to_settle = 4;
constexpr double evaluations_to_first_trial = 5000;
// The next trial is due when so many times the evaluations are spent; after one that an event has ended, sooner.
constexpr double until_next_trial = 2, until_next_attempt = 1.2;
// The part of the evaluations before a trial by which the present method is judged, and by how much the other one has
// to be better.
constexpr double part_of_judgement = 0.25, better = 1.05;
// The methods take twelve evaluations and six for a step, in which they come about as far as that.
constexpr double shorter_step = 0.5;

}  // namespace

ExplicitPair::ExplicitPair(ExplicitMethod first, ExplicitMethod second) noexcept
    : methods_{std::move(first), std::move(second)} {}

Status ExplicitPair::start(double t, std::span<const double> y) noexcept {
  now_ = chosen_ = next_ = 0;
  spent_ = time_of_second_ = 0;
  trial_at_ = evaluations_to_first_trial;
  way_ = of_chosen_ = {};
  // Each begins to count what it rejects.
  if (methods_[1].steps->start(t, y) != Status::ok) return Status::failed;
  return now().start(t, y);
}

Status ExplicitPair::restart(double t, std::span<const double> y, double first_step) noexcept {
  if (on_trial()) end_trial(until_next_attempt);
  now_ = next_ = chosen_;
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
  count(before);
  look();
  return Status::ok;
}

Status ExplicitPair::change_to(std::size_t method) noexcept {
  const double mean = of_chosen_.steps > 0 ? of_chosen_.time / static_cast<double>(of_chosen_.steps) : 0;
  const double step = method == chosen_ ? mean : method == 1 ? shorter_step * mean : mean / shorter_step;
  if (methods_[method].steps->restart(time(), state(), step) != Status::ok) return Status::failed;
  now_ = next_ = method;
  way_ = {};
  return Status::ok;
}

void ExplicitPair::count(std::size_t rejected_before) noexcept {
  const double cost = methods_[now_].evaluations * static_cast<double>(1 + now().rejected() - rejected_before);
  const double length = time() - previous_time();
  spent_ += cost;
  way_.evaluations += cost;
  way_.time += length;
  ++way_.steps;
  if (chosen_ == 1) time_of_second_ += length;
}

void ExplicitPair::look() noexcept {
  if (!on_trial()) {
    if (spent_ < (1 - part_of_judgement) * trial_at_) way_ = {};
    if (spent_ < trial_at_) return;
    of_chosen_ = way_;
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
}

void ExplicitPair::end_trial(double next) noexcept {
  trial_at_ = next * spent_;
  next_ = chosen_;
  way_ = {};
}

}  // namespace polyform::implicit
