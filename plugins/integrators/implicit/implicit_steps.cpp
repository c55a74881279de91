#include "implicit_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/contract/stiffest_element.hpp"
#include "polyform/helpers/larger.hpp"

namespace polyform::implicit {

ImplicitSteps::ImplicitSteps(FirstOrderSystem& system, const StepSettings& settings, std::unique_ptr<Newton> newton,
                             double part_of_sizes)
    : system_(system),
      settings_(settings),
      states_(system.size() - system.integrals()),
      newton_(std::move(newton)),
      now_(system.size()),
      rate_(now_),
      scale_(now_),
      largest_integrals_(system, part_of_sizes) {}

Status ImplicitSteps::start(double t, std::span<const double> y) noexcept {
  h_ = std::min(settings_.step, settings_.max_step);
  rejected_ = 0;
  largest_integrals_.begin(t, y);
  return restart(t, y, 0);
}

Status ImplicitSteps::restart(double t, std::span<const double> y, double first_step) noexcept {
  if (y.data() != now_.data()) std::ranges::copy(y, now_.begin());
  begin_at(t);
  largest_integrals_.see(now_);
  if (first_step > 0) h_ = std::min(first_step, settings_.max_step);
  rate_known_ = linearized_ = has_history_ = rejected_now_ = false;
  prepared_ = last_size_ = 0;
  forget();
  return Status::ok;
}

double ImplicitSteps::smallest_step() const noexcept {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time_), settings_.step);
}

std::string_view ImplicitSteps::explain(Trial why) const noexcept {
  switch (why) {
    case Trial::not_evaluated:
    case Trial::not_corrected: return system_.failure();
    case Trial::error_too_large: return "the error stays above the tolerance";
    case Trial::singular: return "the matrix of Newton's iteration is singular";
    default: return "Newton's iteration does not converge";
  }
}

UnsolvedPlace ImplicitSteps::place_of(double h, Trial why) noexcept {
  auto* const element = why == Trial::not_converged ? ask<StiffestElement>(system_) : nullptr;
  return UnsolvedPlace::at(element != nullptr ? element->stiffest(time_, now_, last_change(), 1 / h) : "");
}

StepFailure ImplicitSteps::kind_of(Trial why, const UnsolvedPlace& place) noexcept {
  if (why == Trial::not_evaluated || why == Trial::not_corrected) return StepFailure::stalled_by_system;
  return place.name.empty() ? StepFailure::stalled : StepFailure::stalled_at_named;
}

Status ImplicitSteps::give_up(double h, Trial why) noexcept {
  const UnsolvedPlace place = place_of(h, why);
  return fail(Message("the step size became too small ({:.3g} s) at t = {:.9g} s: {}{}{}{}", h, time_, explain(why),
                      place.before, place.name, place.remedy),
              kind_of(why, place));
}

bool ImplicitSteps::begin_step() noexcept {
  previous_time_ = time_;
  for (std::size_t i = 0; i < states_; ++i)
    scale_[i] = 1 / (settings_.absolute_tolerance + settings_.relative_tolerance * std::abs(now_[i]));
  if (!rate_known_ && newton_->derivative(time_, now_, rate_) != Status::ok) return false;
  rate_known_ = true;
  return true;
}

Status ImplicitSteps::step(double t_limit) noexcept {
  if (!begin_step()) return fail(system_.failure());
  const double before = h_;
  const std::size_t rejected_before = rejected_;
  for (Trial why = Trial::good;;) {
    // The step is made a little longer where it then reaches the limit: else a sliver of a step would be left. It never
    // gets longer than allowed.
    const bool last = time_ + (1.01 * h_ <= settings_.max_step ? 1.01 : 1.0) * h_ >= t_limit;
    const double h = last ? t_limit - time_ : h_;
    if (why != Trial::good && h <= smallest_step()) return give_up(h, why);
    why = try_step(h, last ? t_limit : time_ + h);
    if (why == Trial::good) {
      // If the limit cut the step short, the longer step size that was found before still holds.
      if (last && rejected_ == rejected_before) h_ = std::max(h_, before);
      accept(last ? t_limit : time_ + h, h);
      return Status::ok;
    }
    ++rejected_;
    rejected_now_ = true;
    if (why != Trial::error_too_large) h_ = h / (why == Trial::not_converged ? 4 : 2);
  }
}

double ImplicitSteps::size_of(const State& x) const noexcept {
  double largest = 0;
  for (std::size_t i = 0; i < states_; ++i) largest = larger(largest, std::abs(x[i]) * scale_[i]);
  return largest;
}

double ImplicitSteps::integral_tolerance_of(std::size_t i, double h) const noexcept {
  const double size = std::max(largest_integrals_[i - states_], h * std::abs(rate_[i]));
  return integral_tolerance * (settings_.absolute_tolerance + settings_.relative_tolerance * size);
}

ImplicitSteps::Trial ImplicitSteps::judge(double h, double exponent, int iterations, double most) noexcept {
  constexpr int usual = NewtonPace::most_iterations;
  if (!std::isfinite(error_size_)) return Trial::not_converged;
  constexpr double least_error = 1e-10;  // in units of the tolerances
  error_size_ = std::max(error_size_, least_error);
  const double safety = 0.9 * (2.0 * usual + 1) / (2.0 * usual + iterations);
  double factor = safety * std::pow(error_size_, -exponent);
  if (error_size_ > 1) {
    h_ = h * std::clamp(factor, 0.1, 0.9);
    return Trial::error_too_large;
  }
  if (has_history_ && last_size_ > 0 && !rejected_now_) {
    const double predicted = h / last_size_ * std::pow(last_error_ / (error_size_ * error_size_), exponent) * 0.9;
    factor = std::min(factor, predicted);
  }
  h_ = h * std::clamp(factor, 0.2, rejected_now_ ? 1.0 : most);
  return Trial::good;
}

void ImplicitSteps::move_on(double t, double h, State& end) noexcept {
  last_size_ = h;
  last_error_ = std::max(error_size_, 1e-2);
  has_history_ = true;
  rejected_now_ = rate_known_ = fresh_ = false;
  now_.swap(end);
  largest_integrals_.see(now_);
  time_ = t;
  // The matrix of Newton's iteration holds for one size of step. If the next step could be only a little longer, it
  // stays as long as this one, and the matrix is kept.
  if (const double ratio = h_ / h; linearized_ && ratio >= 1 && ratio <= 1.2) h_ = h;
  h_ = std::min(h_, settings_.max_step);
}

}  // namespace polyform::implicit
