#include "generalized_alpha.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/helpers/larger.hpp"

namespace polyform::implicit {

namespace {

/// A contraction of Newton's iteration from which on new derivatives are worth their cost. The matrix is made with one
/// γ for positions and velocities, where the method has two that differ by at most 6 %: it contracts by about that.
constexpr double slow_contraction = 0.2;
/// What Newton's iteration may leave of the end of a step, in units of the tolerances: a small part of the error that
/// steps are chosen by; with fixed steps, where the tolerances are there for nothing else, a tenth of what they say.
constexpr double left_of_adaptive = 0.01, left_of_fixed = 0.1;
/// Steps of a method of low order are many, and their errors add up: each may have this part of the tolerances.
constexpr double part_of_a_step = 0.25;
/// Factors (I − γhJ)⁻¹ of the error estimate.
constexpr int estimate_filters = 2;
/// The share of a step after which the derivative is taken again for its rate of change.
constexpr double short_time = 1e-4;
/// The shortest part of a fixed step that is tried where Newton's iteration does not converge.
constexpr double shortest_part = 1e-6;
/// An instant that lies nearer to a point of the grid of fixed steps, in steps, is that point.
constexpr double near_grid = 1e-9;

}  // namespace

GeneralizedAlpha::GeneralizedAlpha(FirstOrderSystem& system, const StepSettings& settings,
                                   std::unique_ptr<Newton> newton, double rho, bool fixed)
    : ImplicitSteps(system, settings, std::move(newton)),
      parts_(ask<SecondOrderSystem>(system)),
      is_position_(system.size()),
      alpha_m_((2 * rho - 1) / (rho + 1)),
      alpha_f_(rho / (rho + 1)),
      gamma_(0.5 - alpha_m_ + alpha_f_),
      beta_(0.25 * (gamma_ + 0.5) * (gamma_ + 0.5)),
      newton_gamma_(std::sqrt(beta_ * (1 - alpha_f_) / (1 - alpha_m_))),
      shift_(alpha_m_ - alpha_f_),
      fixed_(fixed),
      pace_(fixed ? left_of_fixed : left_of_adaptive, slow_contraction),
      a_(now_),
      last_rate_(now_),
      start_a_(now_),
      end_a_(now_),
      end_(now_),
      end_rate_(now_),
      corrected_(now_),
      mean_(now_),
      work_(now_),
      rates_{now_, now_, now_, now_},
      begin_(now_),
      begin_rate_(now_),
      kept_end_(now_),
      kept_rate_(now_) {
  if (parts_ == nullptr) return;
  const std::span<const StateKind> kinds = parts_->kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) is_position_[i] = kinds[i] == StateKind::position;
}

Status GeneralizedAlpha::start(double t, std::span<const double> y) noexcept {
  origin_ = t;
  return ImplicitSteps::start(t, y);
}

void GeneralizedAlpha::forget() noexcept { pace_.forget(); }

Status GeneralizedAlpha::step(double t_limit) noexcept {
  if (!fixed_) return ImplicitSteps::step(t_limit);
  if (!begin_step()) return fail(system_.failure());
  // Step ends are products, not running sums. One within rounding of the limit is the limit: no sliver of a step.
  const double h = std::min(settings_.step, settings_.max_step);
  const double next = origin_ + (std::floor((time_ - origin_) / h + near_grid) + 1) * h;
  double end = next < t_limit - near_grid * h ? next : t_limit;
  if (!(end > time_)) return fail(Message("the step of {:.3g} s is lost in the rounding of t = {:.9g} s", h, time_));
  for (;;) {
    const Trial done = try_step(end - time_, end);
    if (done == Trial::good) break;
    if (done == Trial::not_evaluated || done == Trial::not_corrected) return fail(system_.failure());
    // Next to a singular position of a loop Newton's iteration may need a shorter step: this one is divided.
    ++rejected_;
    if (end - time_ < shortest_part * h) {
      const UnsolvedPlace place = place_of(end - time_, done);
      return fail(Message("no part of a step of {:.3g} s could be taken at t = {:.9g} s: {}{}{}{}", h, time_,
                          explain(done), place.before, place.name, place.remedy),
                  kind_of(done, place));
    }
    end = time_ + 0.5 * (end - time_);
  }
  accept(end, end - time_);
  return Status::ok;
}

/// The matrix for a step of the size, and the derivatives anew where the last ones made Newton's iteration slow.
GeneralizedAlpha::Trial GeneralizedAlpha::prepare(double h) noexcept {
  if (!linearized_) {
    if (!newton_->linearize(time_, now_)) return Trial::not_evaluated;
    linearized_ = fresh_ = true;
    prepared_ = 0;
  }
  if (h == prepared_) return Trial::good;
  prepared_ = 0;
  if (!newton_->prepare(newton_gamma_ * h)) return Trial::singular;
  prepared_ = h;
  return Trial::good;
}

/// a₀ of a step of the length h: a is the acceleration at a time that is shift_ · h after its instant.
GeneralizedAlpha::Trial GeneralizedAlpha::find_start(double h) noexcept {
  if (has_history_) {
    const double factor = shift_ * (h - last_size_) / last_size_;
    for (std::size_t i = 0; i < a_.size(); ++i) start_a_[i] = a_[i] + factor * (rate_[i] - last_rate_[i]);
    return Trial::good;
  }
  start_a_ = rate_;
  if (shift_ == 0) return Trial::good;
  // The rate of v̇, without that of motions which the step does not resolve.
  const double by = short_time * h;
  for (std::size_t i = 0; i < now_.size(); ++i) work_[i] = now_[i] + by * rate_[i];
  if (newton_->derivative(time_ + by, work_, mean_) != Status::ok) return Trial::not_evaluated;
  for (std::size_t i = 0; i < now_.size(); ++i) mean_[i] = is_position_[i] ? 0 : (mean_[i] - rate_[i]) / short_time;
  newton_->solve(std::span(mean_).first(states_));
  for (std::size_t i = 0; i < now_.size(); ++i) start_a_[i] += shift_ * mean_[i];
  return Trial::good;
}

/// Positions of end_: those of now_, moved for a time h with the velocities that are in mean_. That is the flow of
/// q̇ = N(q) w, the exponential map of the group in whatever coordinates the system has, to the fourth order of h;
/// exact where N is constant.
bool GeneralizedAlpha::displace(double h) noexcept {
  turns_ = false;
  if (parts_ == nullptr) return true;
  for (std::size_t i = 0; i < now_.size(); ++i) work_[i] = is_position_[i] ? now_[i] : mean_[i];
  const auto rates_after = [&](std::size_t k, double share) {
    for (std::size_t i = 0; k > 0 && i < now_.size(); ++i)
      if (is_position_[i]) work_[i] = now_[i] + share * h * rates_[k - 1][i];
    return parts_->position_rates(time_ + share * h, work_, rates_[k]) == Status::ok;
  };
  if (!rates_after(0, 0) || !rates_after(1, 0.5)) return false;
  bool constant = true;
  for (std::size_t i = 0; i < now_.size() && constant; ++i) constant = !is_position_[i] || rates_[0][i] == rates_[1][i];
  turns_ = !constant;
  if (turns_ && (!rates_after(2, 0.5) || !rates_after(3, 1))) return false;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (!is_position_[i]) continue;
    const double rate =
        constant ? rates_[0][i] : (rates_[0][i] + 2 * rates_[1][i] + 2 * rates_[2][i] + rates_[3][i]) / 6;
    end_[i] = now_[i] + h * rate;
  }
  return true;
}

/// The end of the step from its accelerations.
bool GeneralizedAlpha::find_end(double h) noexcept {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (is_position_[i]) continue;
    mean_[i] = now_[i] + h * ((0.5 - beta_) * start_a_[i] + beta_ * end_a_[i]);
    end_[i] = now_[i] + h * ((1 - gamma_) * start_a_[i] + gamma_ * end_a_[i]);
  }
  return displace(h);
}

/// One iteration, from the derivative at the end; the size of the change.
double GeneralizedAlpha::move_end(double h) noexcept {
  for (std::size_t i = 0; i < now_.size(); ++i)
    work_[i] = is_position_[i]
                   ? 0
                   : ((1 - alpha_f_) * end_rate_[i] + alpha_f_ * rate_[i] - alpha_m_ * start_a_[i]) / (1 - alpha_m_) -
                         end_a_[i];
  newton_->solve(std::span(work_).first(states_));
  double largest = 0;
  for (std::size_t i = 0; i < states_; ++i) {
    // A change of a moves velocities by h γ of it, and positions by h² β N of it, where the solution has h γ' N of it.
    const double share = is_position_[i] ? beta_ / newton_gamma_ : gamma_;
    largest = larger(largest, std::abs(work_[i]) * scale_[i] * h * share);
  }
  for (std::size_t i = 0; i < now_.size(); ++i)
    if (!is_position_[i]) end_a_[i] += work_[i];
  return largest;
}

GeneralizedAlpha::Trial GeneralizedAlpha::iterate(double h, double end) noexcept {
  // The rate of a is taken to go on as in the last step.
  const double ratio = has_history_ ? h / last_size_ : 0;
  for (std::size_t i = 0; i < now_.size(); ++i) end_a_[i] = start_a_[i] + ratio * (rate_[i] - last_rate_[i]);
  using Until = NewtonPace::Until;
  pace_.begin(fixed_ ? Until::good : h >= 0.999 * settings_.max_step ? Until::rounding : Until::good_or_late);
  for (auto verdict = NewtonPace::Verdict::again; verdict == NewtonPace::Verdict::again;) {
    if (!find_end(h) || newton_->derivative(end, end_, end_rate_) != Status::ok) return Trial::not_evaluated;
    verdict = pace_.judge(move_end(h));
    if (verdict == NewtonPace::Verdict::diverging) return Trial::not_converged;
  }
  return find_end(h) && find_end_rate(end) ? Trial::good : Trial::not_evaluated;
}

/// The derivative at the end as the first equation of the method has it.
bool GeneralizedAlpha::find_end_rate(double end) noexcept {
  for (std::size_t i = 0; i < now_.size(); ++i)
    if (!is_position_[i])
      end_rate_[i] = ((1 - alpha_m_) * end_a_[i] + alpha_m_ * start_a_[i] - alpha_f_ * rate_[i]) / (1 - alpha_f_);
  return parts_ == nullptr || parts_->position_rates(end, end_, end_rate_) == Status::ok;
}

/// The error of displace() to corrected_, for velocities that do not change: against Lobatto's quadrature of the rates
/// of positions along the way. Where N turns with the positions, as that of quaternions, it is all the error of a
/// steady motion. Zero where N is constant.
bool GeneralizedAlpha::estimate_displacement(double h, double end) noexcept {
  State &first = rates_[0], &middle = rates_[1], &last = rates_[2];
  for (std::size_t i = 0; i < now_.size(); ++i) corrected_[i] = 0, work_[i] = is_position_[i] ? end_[i] : mean_[i];
  if (!turns_) return true;
  if (parts_->position_rates(end, work_, last) != Status::ok) return false;
  for (std::size_t i = 0; i < now_.size(); ++i)
    if (is_position_[i]) work_[i] = 0.5 * (now_[i] + end_[i]) + h / 8 * (first[i] - last[i]);
  if (parts_->position_rates(0.5 * (time_ + end), work_, middle) != Status::ok) return false;
  for (std::size_t i = 0; i < now_.size(); ++i)
    if (is_position_[i]) corrected_[i] = end_[i] - now_[i] - h / 6 * (first[i] + 4 * middle[i] + last[i]);
  return true;
}

/// Against Lobatto's quadrature of order 4, with the acceleration in the middle of the step.
bool GeneralizedAlpha::estimate_error(double h, double end) noexcept {
  if (!estimate_displacement(h, end)) return false;
  for (std::size_t i = 0; i < now_.size(); ++i)
    work_[i] = 0.5 * (now_[i] + end_[i]) + h / 8 * (rate_[i] - end_rate_[i]);
  State& middle = rates_[0];
  State& error = rates_[1];
  if (newton_->derivative(0.5 * (time_ + end), work_, middle) != Status::ok) return false;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double a0 = start_a_[i], a1 = end_a_[i];
    error[i] = h * ((1 - gamma_) * a0 + gamma_ * a1 - (rate_[i] + 4 * middle[i] + end_rate_[i]) / 6);
    work_[i] = is_position_[i] ? end_[i] : h * ((0.5 - beta_) * a0 + beta_ * a1 - rate_[i] / 6 - middle[i] / 3);
  }
  if (parts_ != nullptr) {
    // An error of velocities changes positions by N times it, less the rates of positions at v = 0 by time alone.
    if (parts_->position_rates(end, work_, rates_[2]) != Status::ok) return false;
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (!is_position_[i]) work_[i] = 0;
    if (parts_->position_rates(end, work_, rates_[3]) != Status::ok) return false;
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (is_position_[i]) error[i] = h * (rates_[2][i] - rates_[3][i]) + corrected_[i];
  }
  // The stiff part is large in an estimate made without it, so the estimate is filtered: E. Hairer, G. Wanner, Solving
  // Ordinary Differential Equations II, 2nd ed., Eq. (IV.8.20). A deviation d of a stiff component counts in it with
  // (hJ)² d, once by the slopes that make the state in the middle and once by the derivative there. With as many
  // factors (I − γhJ)⁻¹ the estimate stays of the size of d, however stiff the component is.
  for (int k = 0; k < estimate_filters; ++k) newton_->solve(std::span(error).first(states_));
  error_size_ = size_of(error) / part_of_a_step;
  for (std::size_t i = states_; i < now_.size(); ++i) {
    // Across a jump an integral is known no better than what its rate makes of the rounding of the time.
    const double rounding = smallest_step() * std::max(std::abs(rate_[i]), std::abs(end_rate_[i]));
    const double tolerance = std::max(part_of_a_step * integral_tolerance_of(i, h), rounding);
    error_size_ = larger(error_size_, std::abs(error[i]) / tolerance);
  }
  return true;
}

GeneralizedAlpha::Trial GeneralizedAlpha::try_step(double h, double end) noexcept {
  for (bool again = true; again;) {
    if (const Trial made = prepare(h); made != Trial::good) return made;
    if (const Trial begun = find_start(h); begun != Trial::good) return begun;
    const Trial done = iterate(h, end);
    if (done == Trial::good) break;
    // With derivatives of before, those of now may serve.
    again = !fresh_ && done == Trial::not_converged;
    if (!again) return done;
    linearized_ = false;
  }
  if (!fixed_) {
    if (!estimate_error(h, end)) return Trial::not_evaluated;
    constexpr double order = 2, most = 2;
    if (const Trial error = judge(h, 1 / (order + 1), pace_.iterations(), most); error != Trial::good) return error;
  }
  corrected_ = end_;
  return system_.correct(end, corrected_) == Status::ok ? Trial::good : Trial::not_corrected;
}

void GeneralizedAlpha::accept(double end, double h) noexcept {
  begin_.swap(now_);
  std::ranges::copy(rate_, begin_rate_.begin());
  kept_end_.swap(end_);
  kept_rate_.swap(end_rate_);
  a_.swap(end_a_);
  last_rate_.swap(rate_);
  if (pace_.contraction() > slow_contraction) linearized_ = false;
  move_on(end, h, corrected_);
  // The method carries v̇ on as its own equations have it. A stiff part λ of f would make λ d of the remainder d that
  // Newton's iteration leaves, and the estimate would take that for an error of the next step.
  std::ranges::copy(kept_rate_, rate_.begin());
  rate_known_ = parts_ == nullptr || parts_->position_rates(end, now_, rate_) == Status::ok;
}

/// Hermite's polynomial of degree 3.
Status GeneralizedAlpha::state_at(double t, std::span<double> y) noexcept {
  if (t == previous_time_) {
    std::ranges::copy(time_ == previous_time_ ? now_ : begin_, y.begin());
    return Status::ok;
  }
  const double h = time_ - previous_time_, s = (t - previous_time_) / h;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double d = kept_end_[i] - begin_[i];
    y[i] = begin_[i] + s * d + s * (s - 1) * ((1 - 2 * s) * d + h * ((s - 1) * begin_rate_[i] + s * kept_rate_[i]));
  }
  return Status::ok;
}

}  // namespace polyform::implicit
