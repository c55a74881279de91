#include "radau5.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::implicit {

namespace {

const double root6 = std::sqrt(6.0);
const double c1 = (4 - root6) / 10, c2 = (4 + root6) / 10;
// Eigenvalues of the inverse of the method's matrix: one real, a pair; times the step they are 1/γ.
const double cube81 = std::cbrt(81.0), cube9 = std::cbrt(9.0);
const double real_eigenvalue = 30 / (6 + cube81 - cube9);
const double raw_alpha = (12 - cube81 + cube9) / 60, raw_beta = (cube81 + cube9) * std::sqrt(3.0) / 60;
const double alpha = raw_alpha / (raw_alpha * raw_alpha + raw_beta * raw_beta);
const double beta = raw_beta / (raw_alpha * raw_alpha + raw_beta * raw_beta);
// Their eigenvectors, and the inverse.
constexpr double T[3][3] = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
                            {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                            {0.96604818261509293619, 1, 0}};
constexpr double TI[3][3] = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                             {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                             {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
// Of the estimate of the error, a formula of order 3.
const double dd[3] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1.0 / 3};
// The method's matrix, for the integrals.
const double A[3][3] = {
    {(88 - 7 * root6) / 360, (296 - 169 * root6) / 1800, (-2 + 3 * root6) / 225},
    {(296 + 169 * root6) / 1800, (88 + 7 * root6) / 360, (-2 - 3 * root6) / 225},
    {(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9}};

// So many iterations, and then a shorter step: the matrix may be an approximate one.
constexpr int most_iterations = 12;
// Contraction from which on new derivatives are worth their cost.
constexpr double slow_convergence = 0.02;

}  // namespace

Radau5::Radau5(FirstOrderSystem& system, const StepSettings& settings, std::unique_ptr<Newton> newton)
    : system_(system), settings_(settings), states_(system.size() - system.integrals()),
      newton_(std::move(newton)),
      newton_tolerance_(std::max(10 * std::numeric_limits<double>::epsilon() / settings.relative_tolerance,
                                 std::min(0.03, std::sqrt(settings.relative_tolerance)))),
      now_(system.size()), rate_(now_), scale_(now_), largest_integrals_(system.integrals()),
      Z_{now_, now_, now_}, W_{now_, now_, now_}, f_{now_, now_, now_}, stage_(now_), error_(now_), end_(now_),
      polynomial_{now_, now_, now_} {}

Status Radau5::start(double t, std::span<const double> y) noexcept {
  h_ = std::min(settings_.step, settings_.max_step);
  rejected_ = 0;
  std::ranges::fill(largest_integrals_, 0.0);
  return restart(t, y, 0);
}

Status Radau5::restart(double t, std::span<const double> y, double first_step) noexcept {
  if (y.data() != now_.data()) std::ranges::copy(y, now_.begin());
  begin_at(t);
  if (first_step > 0) h_ = std::min(first_step, settings_.max_step);
  rate_known_ = linearized_ = has_history_ = rejected_now_ = false;
  prepared_ = last_size_ = 0;
  carried_ = 1;
  return Status::ok;
}

double Radau5::smallest_step() const noexcept {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time_), settings_.step);
}

std::string_view Radau5::explain(Trial why) const noexcept {
  switch (why) {
    case Trial::not_evaluated:
    case Trial::not_corrected: return system_.failure();
    case Trial::error_too_large: return "the error stays above the tolerance";
    case Trial::singular: return "the matrix of Newton's iteration is singular";
    default: return "Newton's iteration for the stages does not converge";
  }
}

Status Radau5::step(double t_limit) noexcept {
  previous_time_ = time_;
  set_scales();
  if (!rate_known_ && system_.derivative(time_, now_, rate_) != Status::ok) return fail(system_.failure());
  rate_known_ = true;
  const double before = h_;
  const std::size_t rejected_before = rejected_;
  for (Trial why = Trial::good;;) {
    // No sliver of a step is left before the limit, unless this step would be longer than allowed.
    const bool last = time_ + (1.01 * h_ <= settings_.max_step ? 1.01 : 1.0) * h_ >= t_limit;
    const double h = last ? t_limit - time_ : h_;
    if (why != Trial::good && h <= smallest_step())
      return fail(Message("the step size became too small ({:.3g} s) at t = {:.9g} s: {}", h, time_, explain(why)));
    why = try_step(h, last ? t_limit : time_ + h);
    if (why == Trial::good) {
      // A step cut short by the limit says nothing against the step size found before.
      if (last && rejected_ == rejected_before) h_ = std::max(h_, before);
      accept(last ? t_limit : time_ + h, h);
      return Status::ok;
    }
    ++rejected_;
    rejected_now_ = true;
    if (why != Trial::error_too_large) h_ = h / (why == Trial::not_converged ? 4 : 2);
  }
}

void Radau5::set_scales() noexcept {
  for (std::size_t i = 0; i < states_; ++i)
    scale_[i] = 1 / (settings_.absolute_tolerance + settings_.relative_tolerance * std::abs(now_[i]));
}

double Radau5::size_of(const State& x) const noexcept {
  double largest = 0;
  for (std::size_t i = 0; i < states_; ++i) {
    const double part = std::abs(x[i]) * scale_[i];
    largest = part <= largest ? largest : part;  // a NaN stays
  }
  return largest;
}

/// Matrices for a step of the size; the derivatives anew where the last ones made Newton's iteration slow.
bool Radau5::prepare(double h) noexcept {
  if (!linearized_) {
    if (!newton_->linearize(time_, now_, rate_)) return false;
    linearized_ = fresh_ = true;
    prepared_ = 0;
  }
  if (h == prepared_) return true;
  prepared_ = 0;
  if (!newton_->prepare(h / real_eigenvalue) || !newton_->prepare(h / std::complex<double>(alpha, beta))) return true;
  prepared_ = h;
  return true;
}

/// The stages on the polynomial of the last step.
void Radau5::predict(double h) noexcept {
  if (!has_history_) {
    for (std::size_t k = 0; k < 3; ++k) {
      std::ranges::fill(Z_[k], 0.0);
      std::ranges::fill(W_[k], 0.0);
    }
    return;
  }
  const double ratio = h / polynomial_size_, s[3] = {c1 * ratio, c2 * ratio, ratio};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < states_; ++i)
      Z_[k][i] = s[k] * (polynomial_[0][i] + (s[k] + 1 - c2) * (polynomial_[1][i] + (s[k] + 1 - c1) * polynomial_[2][i]));
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < states_; ++i)
      W_[k][i] = TI[k][0] * Z_[0][i] + TI[k][1] * Z_[1][i] + TI[k][2] * Z_[2][i];
}

bool Radau5::evaluate_stages(double h) noexcept {
  const double c[3] = {c1, c2, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < states_; ++i) stage_[i] = now_[i] + Z_[k][i];
    if (system_.derivative(time_ + c[k] * h, stage_, f_[k]) != Status::ok) return false;
  }
  return true;
}

/// One iteration; the size of the change.
double Radau5::move_stages(double h) noexcept {
  const double g = h / real_eigenvalue;
  const std::complex<double> lambda(alpha / h, beta / h), by_lambda = 1.0 / lambda;
  for (std::size_t i = 0; i < states_; ++i) {
    const double x = f_[0][i], y = f_[1][i], z = f_[2][i];
    f_[0][i] = g * (TI[0][0] * x + TI[0][1] * y + TI[0][2] * z) - W_[0][i];
    const std::complex<double> pair(TI[1][0] * x + TI[1][1] * y + TI[1][2] * z,
                                    TI[2][0] * x + TI[2][1] * y + TI[2][2] * z);
    const std::complex<double> free = by_lambda * pair - std::complex<double>(W_[1][i], W_[2][i]);
    f_[1][i] = free.real();
    f_[2][i] = free.imag();
  }
  newton_->solve(std::span(f_[0]).first(states_));
  newton_->solve(std::span(f_[1]).first(states_), std::span(f_[2]).first(states_));
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double size = size_of(f_[k]);
    largest = size <= largest ? largest : size;
    for (std::size_t i = 0; i < states_; ++i) W_[k][i] += f_[k][i];
  }
  for (std::size_t i = 0; i < states_; ++i) {
    Z_[0][i] = T[0][0] * W_[0][i] + T[0][1] * W_[1][i] + T[0][2] * W_[2][i];
    Z_[1][i] = T[1][0] * W_[0][i] + T[1][1] * W_[1][i] + T[1][2] * W_[2][i];
    Z_[2][i] = T[2][0] * W_[0][i] + W_[1][i];
  }
  return largest;
}

Radau5::Trial Radau5::iterate(double h) noexcept {
  // Where --max-step holds a step down, its error is smaller than the tolerance, and Newton's must be smaller yet.
  const bool to_the_end = h >= 0.999 * settings_.max_step;
  double before = 0;
  double factor = std::pow(std::max(carried_, 1e-16), 0.8);
  convergence_ = std::min(convergence_, slow_convergence);
  for (iterations_ = 1; iterations_ <= most_iterations; ++iterations_) {
    if (!evaluate_stages(h)) return Trial::not_evaluated;
    if (system_.integrals() > 0) find_integrals(h);
    const double change = last_change_ = move_stages(h);
    if (!std::isfinite(change)) return Trial::not_converged;
    if (change == 0) break;
    if (iterations_ > 1) {
      const double ratio = change / before;
      convergence_ = iterations_ == 2 ? ratio : std::sqrt(ratio * convergence_);
      if (to_the_end && ratio > 0.9 && change < 1) break;  // nothing but rounding is left
      if (convergence_ >= 0.95) return Trial::not_converged;
      factor = convergence_ / (1 - convergence_);
      const double left = factor * change * std::pow(convergence_, most_iterations - 1 - iterations_);
      if (!to_the_end && left > newton_tolerance_) return Trial::not_converged;
    }
    before = change;
    carried_ = factor;
    if (!to_the_end && factor * change <= newton_tolerance_) break;
  }
  return iterations_ <= most_iterations || to_the_end ? Trial::good : Trial::not_converged;
}

/// Of the stages, by the method itself, where they were evaluated last.
void Radau5::find_integrals(double h) noexcept {
  for (std::size_t i = states_; i < now_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      Z_[k][i] = h * (A[k][0] * f_[0][i] + A[k][1] * f_[1][i] + A[k][2] * f_[2][i]);
}

/// In units of the tolerances. False where f cannot be evaluated.
bool Radau5::estimate_error(double h) noexcept {
  const double g = h / real_eigenvalue;
  const auto formula = [&](std::size_t i) { return (dd[0] * Z_[0][i] + dd[1] * Z_[1][i] + dd[2] * Z_[2][i]) / h; };
  for (std::size_t i = 0; i < states_; ++i) error_[i] = g * (formula(i) + rate_[i]);
  newton_->solve(std::span(error_).first(states_));
  error_size_ = size_of(error_);
  if (error_size_ >= 1 && (rejected_now_ || !has_history_)) {
    // What the stiff part makes of an estimate that has not felt it is filtered once more.
    for (std::size_t i = 0; i < states_; ++i) stage_[i] = now_[i] + error_[i];
    if (system_.derivative(time_, stage_, f_[0]) != Status::ok) return false;
    for (std::size_t i = 0; i < states_; ++i) error_[i] = g * (formula(i) + f_[0][i]);
    newton_->solve(std::span(error_).first(states_));
    error_size_ = size_of(error_);
  }
  for (std::size_t i = states_; i < now_.size(); ++i) {
    const double size = std::max(largest_integrals_[i - states_], h * std::abs(rate_[i]));
    const double tolerance =
        integral_tolerance * (settings_.absolute_tolerance + settings_.relative_tolerance * size);
    error_size_ = std::max(error_size_, std::abs(g * (formula(i) + rate_[i])) / tolerance);
  }
  return true;
}

Radau5::Trial Radau5::try_step(double h, double end) noexcept {
  for (bool again = true; again;) {
    if (!prepare(h)) return Trial::not_evaluated;
    if (prepared_ != h) return Trial::singular;
    predict(h);
    const Trial done = iterate(h);
    if (done == Trial::good) break;
    // With derivatives of before, those of now may serve.
    again = !fresh_ && done == Trial::not_converged;
    if (!again) return done;
    linearized_ = false;
  }
  // Integrals follow the stages, and no iteration mends them: those of stages that have moved on since are found anew.
  if (system_.integrals() > 0 && last_change_ > newton_tolerance_) {
    if (!evaluate_stages(h)) return Trial::not_evaluated;
    find_integrals(h);
  }
  if (!estimate_error(h)) return Trial::not_evaluated;
  if (!std::isfinite(error_size_)) return Trial::not_converged;
  error_size_ = std::max(error_size_, 1e-10);
  // The control of the step, with Gustafsson's prediction: Hairer and Wanner, Eq. (IV.8.25).
  const double safety = 0.9 * (2.0 * most_iterations + 1) / (2.0 * most_iterations + iterations_);
  double factor = safety * std::pow(error_size_, -0.25);
  if (error_size_ > 1) {
    h_ = h * std::clamp(factor, 0.1, 0.9);
    return Trial::error_too_large;
  }
  if (has_history_ && last_size_ > 0 && !rejected_now_) {
    const double predicted = h / last_size_ * std::pow(last_error_ / (error_size_ * error_size_), 0.25) * 0.9;
    factor = std::min(factor, predicted);
  }
  for (std::size_t i = 0; i < now_.size(); ++i) end_[i] = stage_[i] = now_[i] + Z_[2][i];
  if (system_.correct(end, stage_) != Status::ok) return Trial::not_corrected;
  h_ = h * std::clamp(factor, 0.2, rejected_now_ ? 1.0 : 8.0);
  return Trial::good;
}

void Radau5::accept(double end, double h) noexcept {
  last_size_ = h;
  last_error_ = std::max(error_size_, 1e-2);
  keep_polynomial();
  polynomial_size_ = h;
  has_history_ = true;
  rejected_now_ = rate_known_ = false;
  now_.swap(stage_);
  for (std::size_t i = states_; i < now_.size(); ++i)
    largest_integrals_[i - states_] = std::max(largest_integrals_[i - states_], std::abs(now_[i]));
  time_ = end;
  fresh_ = false;
  if (convergence_ > slow_convergence) linearized_ = false;
  // A matrix is worth keeping beside a step that is a little longer.
  if (const double ratio = h_ / h; linearized_ && ratio >= 1 && ratio <= 1.2) h_ = h;
  h_ = std::min(h_, settings_.max_step);
}

void Radau5::keep_polynomial() noexcept {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double slope = (Z_[0][i] - Z_[1][i]) / (c1 - c2);
    const double start = (slope - Z_[0][i] / c1) / c2;
    polynomial_[0][i] = (Z_[1][i] - Z_[2][i]) / (c2 - 1);
    polynomial_[1][i] = (slope - polynomial_[0][i]) / (c1 - 1);
    polynomial_[2][i] = polynomial_[1][i] - start;
  }
}

Status Radau5::state_at(double t, std::span<double> y) noexcept {
  const double s = (t - time_) / polynomial_size_;
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = end_[i] + s * (polynomial_[0][i] + (s + 1 - c2) * (polynomial_[1][i] + (s + 1 - c1) * polynomial_[2][i]));
  return Status::ok;
}

}  // namespace polyform::implicit
