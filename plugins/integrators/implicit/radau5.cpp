#include "radau5.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "polyform/contract/second_order.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/larger.hpp"

namespace polyform::implicit {

namespace {

const double root6 = std::sqrt(6.0);
const double c1 = (4 - root6) / 10, c2 = (4 + root6) / 10;
// Eigenvalues of the inverse of the method's matrix: one real and a complex pair; divided by the step they are 1/γ.
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
// Coefficients of the error estimate, a formula of order 3.
const double dd[3] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1.0 / 3};
// The method's matrix, for the integrals.
const double A[3][3] = {{(88 - 7 * root6) / 360, (296 - 169 * root6) / 1800, (-2 + 3 * root6) / 225},
                        {(296 + 169 * root6) / 1800, (88 + 7 * root6) / 360, (-2 - 3 * root6) / 225},
                        {(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9}};

// How often the estimate is multiplied by (I − hγ ∂f/∂y)⁻¹. A stiff spring that stands a little off its balance at the
// start comes back to it within the step, so this is no error of the step; but it stays in the estimate. With two
// factors, as Hairer and Wanner have it, a distance d leaves the velocity d/(hγ), which grows as the step becomes
// shorter: no step is good until one follows the vibration. With three it goes to zero with the square of the step
// times the frequency.
constexpr int filters = 3;
// Contraction from which on new derivatives are worth their cost.
constexpr double slow_convergence = 0.02;

/// The tolerances for the estimate. It is of order 3 and the method of order 5: where the estimate goes with h⁴, the
/// error of a step goes with h⁶. (Hairer's code RADAU5 has the same formula.)
StepSettings of_estimate(StepSettings settings) {
  const double relative = 0.1 * std::pow(settings.relative_tolerance, 2.0 / 3);
  settings.absolute_tolerance *= relative / settings.relative_tolerance;
  settings.relative_tolerance = relative;
  return settings;
}

/// In stiff transients the power follows what is stiff, whose stages have no high order: the work counts as exact as
/// the settings have it, not as the estimate. Nor is it less exact than this: beside a large kinetic energy the work of
/// a bump in the road is little, and a step of seconds that ends on the bump, at rest with it, shows in nothing else.
double part_of_sizes(const StepSettings& settings) {
  constexpr double coarsest_work = 1e-6;
  return std::min(settings.relative_tolerance, coarsest_work) / of_estimate(settings).relative_tolerance;
}

/// How little an iteration may leave of a change of the integrals, whatever it leaves of that of the stages.
constexpr double contraction_of_power = 0.03;

/// The largest error that Newton's iteration may leave in the stages, in units of the tolerances of the estimate.
double stage_tolerance(const StepSettings& settings) {
  return std::max(10 * std::numeric_limits<double>::epsilon() / settings.relative_tolerance,
                  std::min(0.03, std::sqrt(settings.relative_tolerance)));
}

/// Numbers of the states that are positions; none if the system does not tell.
std::vector<std::size_t> positions_of(FirstOrderSystem& system) {
  std::vector<std::size_t> positions;
  auto* const parts = ask<SecondOrderSystem>(system);
  if (parts == nullptr) return positions;
  const std::span<const StateKind> kinds = parts->kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == StateKind::position) positions.push_back(i);
  return positions;
}

}  // namespace

Radau5::Radau5(FirstOrderSystem& system, const StepSettings& settings, std::unique_ptr<Newton> newton)
    : ImplicitSteps(system, of_estimate(settings), std::move(newton), part_of_sizes(settings)),
      pace_(stage_tolerance(settings_), slow_convergence),
      Z_{now_, now_, now_},
      W_{now_, now_, now_},
      f_{now_, now_, now_},
      stage_(now_),
      error_(now_),
      end_(now_),
      polynomial_{now_, now_, now_},
      positions_(positions_of(system)) {}

/// Takes the derivatives. Where the steps begin anew, perhaps at a kink or a jump, differences taken there would cross
/// it: they are taken a little ahead, past it.
bool Radau5::linearize_ahead(double h) noexcept {
  constexpr double part = 1e-3;
  if (has_history_) return newton_->linearize(time_, now_);
  for (std::size_t i = 0; i < now_.size(); ++i) stage_[i] = now_[i] + part * h * rate_[i];
  return newton_->linearize(time_ + part * h, stage_);
}

/// Makes the matrices for a step h; takes new derivatives if the last ones made Newton's iteration slow, or were taken
/// for steps so short that they tell of a small neighbourhood alone, such as that of a kink which is left behind.
bool Radau5::prepare(double h) noexcept {
  constexpr double much_longer = 8;
  if (!linearized_ || h > much_longer * linearized_for_) {
    if (!linearize_ahead(h)) return false;
    linearized_ = fresh_ = true;
    linearized_for_ = h;
    prepared_ = 0;
  }
  if (h == prepared_) return true;
  prepared_ = 0;
  if (!newton_->prepare(h / real_eigenvalue) || !newton_->prepare(h / std::complex<double>(alpha, beta))) return true;
  prepared_ = h;
  return true;
}

/// The variables that part the equations of the stages.
void Radau5::part_stages() noexcept {
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < states_; ++i)
      W_[k][i] = TI[k][0] * Z_[0][i] + TI[k][1] * Z_[1][i] + TI[k][2] * Z_[2][i];
}

/// Predicts the stages by the polynomial of the last step. Where steps begin anew, positions go on with their
/// velocities: a rotor that time drives would otherwise stand still in the first iteration, far from the motions that
/// the derivatives are taken along. Velocities and other states stay, as their rates may be those of stiff transients.
void Radau5::predict(double h) noexcept {
  if (!has_history_) {
    const double c[3] = {c1, c2, 1};
    for (std::size_t k = 0; k < 3; ++k) {
      std::ranges::fill(Z_[k], 0.0);
      for (const std::size_t i : positions_) Z_[k][i] = c[k] * h * rate_[i];
    }
    return part_stages();
  }
  const double ratio = h / polynomial_size_, s[3] = {c1 * ratio, c2 * ratio, ratio};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < states_; ++i)
      Z_[k][i] =
          s[k] * (polynomial_[0][i] + (s[k] + 1 - c2) * (polynomial_[1][i] + (s[k] + 1 - c1) * polynomial_[2][i]));
  part_stages();
}

bool Radau5::evaluate_stages(double h) noexcept {
  const double c[3] = {c1, c2, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < states_; ++i) stage_[i] = now_[i] + Z_[k][i];
    if (newton_->derivative(time_ + c[k] * h, stage_, f_[k]) != Status::ok) return false;
  }
  return true;
}

/// Makes one iteration, and returns the size of the change.
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
    largest = larger(largest, size_of(f_[k]));
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
  // If --max-step holds a step down, its error is smaller than the tolerance, and Newton's must be smaller yet.
  pace_.begin(h >= 0.999 * settings_.max_step ? NewtonPace::Until::rounding : NewtonPace::Until::good_or_late);
  const bool integrals = system_.integrals() > 0;
  double moved = 0;  // the integrals by the last iteration but one
  for (auto verdict = NewtonPace::Verdict::again; verdict == NewtonPace::Verdict::again;) {
    if (!evaluate_stages(h)) return Trial::not_evaluated;
    if (integrals) moved = find_integrals(h);
    verdict = pace_.judge(move_stages(h));
    if (verdict == NewtonPace::Verdict::diverging) return Trial::not_converged;
  }
  // The integrals lack what the last iteration moved them by. That is to what the iteration before moved them by as the
  // changes of the stages are to each other; at the start of steps that begin anew it may be more, as the power of a
  // stiff law feels what these hardly show. If it is too much, the integrals are found anew.
  const double contraction = has_history_ ? pace_.contraction() : std::max(pace_.contraction(), contraction_of_power);
  const double missing = pace_.iterations() > 1 ? moved * contraction : pace_.change();
  if (!integrals || missing <= pace_.tolerance()) return Trial::good;
  if (!evaluate_stages(h)) return Trial::not_evaluated;
  find_integrals(h);
  return Trial::good;
}

/// Integrates by the method itself, from the derivatives that the stages had when they were evaluated last. Returns the
/// largest change that makes, in units of the tolerances.
double Radau5::find_integrals(double h) noexcept {
  double largest = 0;
  for (std::size_t i = states_; i < now_.size(); ++i) {
    const double scale = 1 / integral_tolerance_of(i, h);
    for (std::size_t k = 0; k < 3; ++k) {
      const double before = std::exchange(Z_[k][i], h * (A[k][0] * f_[0][i] + A[k][1] * f_[1][i] + A[k][2] * f_[2][i]));
      largest = std::max(largest, std::abs(Z_[k][i] - before) * scale);
    }
  }
  return largest;
}

/// Estimates the error in units of the tolerances.
void Radau5::estimate_error(double h) noexcept {
  const double g = h / real_eigenvalue;
  const auto formula = [&](std::size_t i) { return (dd[0] * Z_[0][i] + dd[1] * Z_[1][i] + dd[2] * Z_[2][i]) / h; };
  for (std::size_t i = 0; i < states_; ++i) error_[i] = g * (formula(i) + rate_[i]);
  for (int k = 0; k < filters; ++k) newton_->solve(std::span(error_).first(states_));
  error_size_ = size_of(error_);
  for (std::size_t i = states_; i < now_.size(); ++i)
    error_size_ = larger(error_size_, std::abs(g * (formula(i) + rate_[i])) / integral_tolerance_of(i, h));
}

Radau5::Trial Radau5::try_step(double h, double end) noexcept {
  for (bool again = true; again;) {
    if (!prepare(h)) return Trial::not_evaluated;
    if (prepared_ != h) return Trial::singular;
    predict(h);
    const Trial done = iterate(h);
    if (done == Trial::good) break;
    // After a failure with old derivatives, new ones may help.
    again = !fresh_ && done == Trial::not_converged;
    if (!again) return done;
    linearized_ = false;
  }
  estimate_error(h);
  if (const Trial error = judge(h, 0.25, pace_.iterations(), 8); error != Trial::good) return error;
  for (std::size_t i = 0; i < now_.size(); ++i) end_[i] = stage_[i] = now_[i] + Z_[2][i];
  return system_.correct(end, stage_) == Status::ok ? Trial::good : Trial::not_corrected;
}

void Radau5::accept(double end, double h) noexcept {
  keep_polynomial();
  polynomial_size_ = h;
  if (pace_.contraction() > slow_convergence) linearized_ = false;
  move_on(end, h, stage_);
  // The last stage is the end, and there the polynomial has the derivative of the equation.
  for (std::size_t i = 0; i < now_.size(); ++i)
    rate_[i] = (polynomial_[0][i] + (1 - c2) * (polynomial_[1][i] + (1 - c1) * polynomial_[2][i])) / h;
  rate_known_ = true;
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
