#include "auto_method.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace polyform::implicit {

namespace {

// Evaluations of the explicit method between two looks at the time scale, each of which takes three, and half of them
// while stability may hold the steps; steps before each look at least, and steps of the implicit method between two.
constexpr double evaluations_between_looks = 240, part_at_the_bound = 0.5;
constexpr std::size_t before_look = 10, between_implicit_looks = 20;
constexpr std::size_t looks_at_the_bound = 3;
// Part of the bound, below which the rate of the last look does not explain the steps: a new direction is looked for.
constexpr double unexplained = 0.5;
// Rounds of the first look, right after the opening: nothing is known of the fastest motion yet.
constexpr int rounds_of_first_look = 3;
// Steps of the shortest trial, of which the second half counts: the first ones grow from the explicit step.
constexpr std::size_t trial = 16;
// A longer trial: as long as the mean step of each half grows by this factor. The explicit method keeps vibrations
// alive at the bound of its stability, and the implicit one needs steps to damp them.
constexpr double growth = 1.1;
// An implicit step costs a little more than one of dop853: 6 evaluations and the solutions of 2 iterations in place of
// 12 evaluations. The solutions cost between a quarter of the evaluations and twice as much. What the matrix costs
// comes in addition.
constexpr double evaluations_of_implicit_step = 14.4, weight = evaluations_of_implicit_step / 6;
// Trials may cost this part of what the explicit method has cost since the last good one; or this part of what it would
// cost from now on with steps as long as the last ones, half of that after each trial in vain.
constexpr double part_of_trials = 0.25, part_of_future = 0.015, part_in_doubt = 0.05;

}  // namespace

AutoMethod::AutoMethod(FirstOrderSystem& system, std::unique_ptr<ExplicitPair, DestroyIntegrator> explicit_methods,
                       std::unique_ptr<Integrator, DestroyIntegrator> implicit_method, const Newton* newton,
                       std::string_view without)
    : system_(system),
      scale_(system.size(), system.integrals()),
      explicit_(std::move(explicit_methods)),
      implicit_(std::move(implicit_method)),
      now_(explicit_.get()),
      newton_(newton) {
  without_.say(without);
}

Status AutoMethod::start(double t, std::span<const double> y) noexcept {
  scale_.start();
  now_ = explicit_.get();
  phase_ = Phase::explicitly;
  changing_ = false;
  steps_ = bound_ = near_ = held_looks_ = explicit_steps_ = 0;
  wait_ = before_look;
  since_ = start_ = t;
  limit_ = std::numeric_limits<double>::infinity();
  ends_at_limit_ = true;
  rate_ = held_rate_ = implicit_time_ = 0;
  looked_first_ = false;
  in_vain_ = 0;
  part_of_future_ = part_of_future;
  kept_ = false;
  // Each begins to count what it rejects.
  if (implicit_ && implicit_->start(t, y) != Status::ok) return Status::failed;
  return explicit_->start(t, y);
}

Status AutoMethod::restart(double t, std::span<const double> y, double first_step) noexcept {
  changing_ = false;
  // Of a step that an event has ended, the part up to the event counts.
  if (now_ != explicit_.get() && now_->time() > t) implicit_time_ -= now_->time() - t;
  // A trial would see the steps of a restart: it ends in favour of what it tried.
  phase_ = now_ == explicit_.get() ? Phase::explicitly : Phase::implicitly;
  kept_ = kept_ || phase_ == Phase::implicitly;
  steps_ = 0;
  since_ = t;
  return now_->restart(t, y, first_step);
}

std::size_t AutoMethod::rejected() const noexcept {
  return explicit_->rejected() + (implicit_ ? implicit_->rejected() : 0);
}

void* AutoMethod::query(std::string_view asked) noexcept {
  if (asked == FailedStep::interface_name) return now_->query(asked);
  return asked == IntegratorChoices::interface_name ? static_cast<IntegratorChoices*>(this) : nullptr;
}

Status AutoMethod::step(double t_limit) noexcept {
  // A limit that steps have gone beyond was not the end of the run.
  ends_at_limit_ = ends_at_limit_ && !(t_limit > limit_);
  limit_ = t_limit;
  if (changing_ && change() != Status::ok) return Status::failed;
  const double from = now_->time();
  if (now_->step(t_limit) != Status::ok) {
    if (is_explicit()) return Status::failed;
    // What stops an implicit step need not stop shorter ones.
    end_trial_in_vain();
    if (change() != Status::ok || now_->step(t_limit) != Status::ok) return Status::failed;
  }
  if (!is_explicit()) {
    if (implicit_time_ == 0) first_change_ = from;
    implicit_time_ += now_->time() - from;
  }
  ++steps_;
  if (is_explicit()) ++explicit_steps_;
  if (implicit_) look();
  return Status::ok;
}

Status AutoMethod::change() noexcept {
  changing_ = false;
  Integrator* const next = is_explicit() ? explicit_.get() : implicit_.get();
  const double step = is_explicit() && rate_ > 0 ? std::min(explicit_step_, 1 / rate_) : explicit_step_;
  const double t = now_->time();
  if (next->restart(t, now_->state(), step) != Status::ok) return Status::failed;
  now_ = next;
  steps_ = 0;
  since_ = t;
  if (phase_ == Phase::on_trial) trial_began_ = t;
  if (newton_ != nullptr) {
    linearizations_ = newton_->linearizations();
    evaluations_ = newton_->evaluations();
  }
  return Status::ok;
}

void AutoMethod::look() noexcept {
  if (is_explicit())
    look_explicitly();
  else
    look_implicitly();
}

void AutoMethod::measure() noexcept {
  const double t = now_->time();
  rate_ = scale_.measure(now_->state(), [&](std::span<const double> y, std::span<double> ydot) {
    return system_.derivative(t, y, ydot) == Status::ok;
  });
}

/// Where a system is stiff from the start on, the first steps after the opening tell.
void AutoMethod::look_first() noexcept {
  looked_first_ = true;
  explicit_step_ = now_->time() - now_->previous_time();
  if (!future_pays()) return;
  for (int round = 0; round < rounds_of_first_look; ++round) measure();
  if (future_pays()) begin_trial(true);
}

void AutoMethod::begin_trial(bool on_credit) noexcept {
  bound_ = near_ = 0;
  on_credit_ = on_credit;
  if (held_rate_ < rate_) {
    held_rate_ = rate_;
    held_step_ = possible_step();
    if (auto* const element = ask<StiffestElement>(system_))
      held_by_.say(element->stiffest(now_->time(), now_->state(), scale_.direction(), rate_));
  }
  change_to(Phase::on_trial);
}

/// Trials in vain come to little: each has to wait longer, or may cost less, than the one before.
void AutoMethod::end_trial_in_vain() noexcept {
  part_of_future_ /= 2;
  if (!on_credit_) {
    in_vain_ += cost_of_trial();
    wait_ *= 2;
  }
  change_to(Phase::explicitly);
}

/// Steps of a trial of the other explicit method have another length: looks begin anew after it.
void AutoMethod::look_explicitly() noexcept {
  if (explicit_->opening()) return;
  if (!looked_first_) return look_first();
  if (explicit_->on_trial()) {
    steps_ = 0;
    since_ = now_->time();
    return;
  }
  const double evaluations = (bound_ > 0 ? part_at_the_bound : 1) * evaluations_between_looks;
  const auto between = static_cast<std::size_t>(evaluations / explicit_->evaluations_of_step());
  if (steps_ < wait_ || steps_ % between != 0) return;
  explicit_step_ = (now_->time() - since_) / static_cast<double>(steps_);
  if (explicit_step_ * rate_ < unexplained * explicit_->bound()) scale_.start();
  measure();
  bound_ = explicit_step_ * rate_ > explicit_->stable() ? bound_ + 1 : 0;
  near_ = explicit_step_ * rate_ > explicit_->bound() ? near_ + 1 : 0;
  if (bound_ > 0) ++held_looks_;
  since_ = now_->time();
  steps_ = 0;
  explicit_->set_held(near_ > 0);
  if (near_ >= looks_at_the_bound && doubt_pays()) return begin_trial(false);
  if (bound_ == 0) return;
  // Steps to come can pay for a trial at once; those that were made have to show that they are held.
  if (bound_ >= looks_at_the_bound && past_pays())
    begin_trial(false);
  else if (future_pays())
    begin_trial(true);
}

/// Evaluations that a trial may cost, after the explicit steps and the trials in vain so far.
double AutoMethod::past_budget() const noexcept {
  return part_of_trials * explicit_->evaluations_of_step() * static_cast<double>(explicit_steps_) - in_vain_;
}

/// The same, before the explicit steps to come.
double AutoMethod::future_budget() const noexcept { return part_of_future_ * evaluations_to_limit(); }

/// How long explicit steps can become: those of now may be short for a while only, but while the fastest motion stays,
/// none is longer than stability lets it be.
double AutoMethod::possible_step() const noexcept {
  return rate_ > 0 ? std::max(explicit_step_, explicit_->stable() / rate_) : explicit_step_;
}

double AutoMethod::budget() const noexcept { return std::max(past_budget(), future_budget()); }

/// Whether a trial can be afforded in which every step needs its own matrix.
bool AutoMethod::past_pays() const noexcept {
  return static_cast<double>(trial) * newton_->price() <= past_budget() && end_is_far();
}

/// Whether what is left of the run, as far as is known, costs the explicit method more than a trial.
bool AutoMethod::end_is_far() const noexcept {
  return !ends_at_limit_ || cost_of_shortest_trial() < evaluations_to_limit();
}

/// What the explicit steps to come will cost.
double AutoMethod::evaluations_to_limit() const noexcept {
  return explicit_->evaluations_of_step() * (limit_ - now_->time()) / possible_step();
}

/// The same where stability need not be what holds the steps.
bool AutoMethod::doubt_pays() const noexcept {
  return past_pays() && cost_of_shortest_trial() <= part_in_doubt / part_of_trials * past_budget();
}

bool AutoMethod::future_pays() const noexcept { return cost_of_shortest_trial() <= future_budget(); }

double AutoMethod::cost_of_shortest_trial() const noexcept {
  return static_cast<double>(trial) * (newton_->price() + evaluations_of_implicit_step);
}

/// What the trial has cost so far, in evaluations.
double AutoMethod::cost_of_trial() const noexcept {
  const auto matrices = static_cast<double>(newton_->linearizations() - linearizations_);
  return weight * static_cast<double>(newton_->evaluations() - evaluations_) + matrices * newton_->price();
}

/// How many times the explicit step the implicit one has to be, with the matrices that the last steps needed.
double AutoMethod::needed_gain(std::size_t steps) const noexcept {
  const auto matrices = static_cast<double>(newton_->linearizations() - linearizations_);
  return (evaluations_of_implicit_step + matrices * newton_->price() / static_cast<double>(steps)) /
         explicit_->evaluations_of_step();
}

void AutoMethod::look_implicitly() noexcept {
  if (phase_ == Phase::on_trial) {
    // Steps that become much shorter from the first on follow the motion.
    if (steps_ == trial / 4 && now_->time() - since_ < 0.5 * static_cast<double>(steps_) * explicit_step_) {
      return end_trial_in_vain();
    }
    if (steps_ % (trial / 2) != 0) return;
    const double before = std::exchange(implicit_step_, (now_->time() - since_) / static_cast<double>(trial / 2));
    since_ = now_->time();
    if (steps_ < trial) return;
    if (implicit_step_ > needed_gain(steps_) * (on_credit_ ? possible_step() : explicit_step_)) {
      if (!kept_) first_change_ = trial_began_;
      kept_ = true;
      phase_ = Phase::implicitly;
      steps_ = explicit_steps_ = 0;
      in_vain_ = 0;
      linearizations_ = newton_->linearizations();
      return;
    }
    // Not worth its cost yet: while the steps grow, the trial goes on, or is taken up again soon.
    const bool promising = implicit_step_ > growth * before;
    if (promising && cost_of_trial() <= budget()) return;
    return end_trial_in_vain();
  }
  if (steps_ % between_implicit_looks != 0) return;
  measure();
  implicit_step_ = (now_->time() - since_) / static_cast<double>(between_implicit_looks);
  since_ = now_->time();
  // No longer than what the explicit method could do.
  const double needed = explicit_->stable() * needed_gain(between_implicit_looks) / implicit_step_;
  if (rate_ < needed) {
    scale_.start();
    measure();
  }
  if (rate_ < needed) change_to(Phase::explicitly);
  linearizations_ = newton_->linearizations();
}

void AutoMethod::change_to(Phase next) noexcept {
  phase_ = next;
  changing_ = true;
}

std::string_view AutoMethod::choices() noexcept {
  const double duration = std::max(now_->time() - start_, 1e-300);
  const double low_order = 100 * explicit_->time_of_low() / duration;
  Sentence explicitly;
  if (explicit_->opening())
    explicitly.say("dopri5 all along, as its steps could grow at any time");
  else if (low_order > 0)
    explicitly.say(Message("dop853, and dopri5 for {:.3g} % of the time, where it took fewer evaluations", low_order));
  else
    explicitly.say("dop853 all along");
  if (!implicit_)
    said_.say(Message("{}: {}", explicitly.text(), without_.text()));
  else if (explicit_->opening())
    said_.say(explicitly.text());
  else if (implicit_time_ == 0 && held_looks_ >= looks_at_the_bound)
    said_.say(
        Message("{}: stability held its steps at times, never so long that a trial of an implicit method was worth "
                "its cost",
                explicitly.text()));
  else if (implicit_time_ == 0)
    said_.say(Message("{}: no time scale held explicit steps down so much that an implicit method was worth its cost",
                      explicitly.text()));
  else
    said_.say(Message(
        "radau5 for {:.3g} % of the time, {} t = {:.4g} s on: {} at {:.2g} rad/s {} the steps of {} at {:.2g} s",
        100 * implicit_time_ / duration,
        kept_ || phase_ == Phase::on_trial ? "from" : "on trial and not worth its cost, from", first_change_,
        held_by_.text().empty() ? "the fastest motion" : held_by_.text(), held_rate_, kept_ ? "held" : "would hold",
        low_order > 0 ? "explicit methods" : "dop853", held_step_));
  return said_.text();
}

}  // namespace polyform::implicit
