#include "framework/workbench/conformance/measured_rate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/workbench/conformance/larger.hpp"

namespace polyform::host::inline conformance {

namespace {

/// The rates that one step gives, and what is left of the values by third differences: of steps so short that the
/// function is a straight line, its noise.
struct Differences {
  double h;
  Eigen::VectorXd rates, left;
};

/// The noise of function i: what is left of its values in the finest steps. The function is rounded, and so is what it
/// depends on, which counts the more the steeper it is. steps: down to the finest.
double noise_of(const std::vector<Differences>& steps, Eigen::Index i) {
  constexpr std::size_t finest = 4;
  double most = 0;
  for (std::size_t k = steps.size() - std::min(finest, steps.size()); k < steps.size(); ++k)
    most = larger(most, std::abs(steps[k].left[i]));
  return most;
}

}  // namespace

MeasuredRates measured_rates(const Eigen::VectorXd& expected, const Eigen::VectorXd& close, const Numbered& f) {
  using Vector = Eigen::VectorXd;
  // No step is a whole part of another, nor of a round number: a wave is not met at the same phase again and again.
  constexpr double first = 0.9317e-3, finer = 0.27183, last = 1e-10;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const Eigen::Index n = expected.size();
  MeasuredRates best{Vector::Zero(n), Vector::Constant(n, std::numeric_limits<double>::infinity()), Vector::Zero(n)};
  Eigen::Array<bool, Eigen::Dynamic, 1> met = Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(n, false);
  std::vector<Differences> steps;
  for (double h = first; h > last && !met.all(); h *= finer) {
    const Vector a = f(h), b = f(-h), c = f(2 * h), d = f(-2 * h);
    const Vector now = (8 / (12 * h)) * (a - b) - (1 / (12 * h)) * (c - d);
    for (Eigen::Index i = 0; i < n; ++i) {
      best.size[i] = larger({best.size[i], std::abs(a[i]), std::abs(b[i]), std::abs(c[i]), std::abs(d[i])});
      if (met[i] || !(std::abs(now[i] - expected[i]) <= close[i])) continue;
      best.value[i] = now[i];
      best.uncertainty[i] = 0;
      met[i] = true;
    }
    steps.push_back({h, now, (c - d) - 2 * (a - b)});
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    if (met[i]) continue;
    const double noise = noise_of(steps, i) + rounding * best.size[i];
    const Differences* before = nullptr;
    for (const Differences& step : steps) {
      const double now = step.rates[i], changes = std::abs(before == nullptr ? now : now - before->rates[i]);
      const double doubt = changes + noise / step.h;
      before = &step;
      if (!(doubt < best.uncertainty[i]) && best.uncertainty[i] < std::numeric_limits<double>::infinity()) continue;
      best.value[i] = now;
      best.uncertainty[i] = doubt;
    }
  }
  return best;
}

Eigen::VectorXd rate_errors(const Eigen::VectorXd& found, const Eigen::VectorXd& scale, double tolerance,
                            const Numbered& f, Eigen::VectorXd* rates) {
  const MeasuredRates measured = measured_rates(found, 0.1 * tolerance * scale, f);
  if (rates != nullptr) *rates = measured.value;
  Eigen::VectorXd errors(found.size());
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    const double doubt = measured.uncertainty[i], beside = larger({scale[i], std::abs(measured.value[i])});
    double error = std::abs(found[i] - measured.value[i]);
    if (doubt <= larger(1e-5 * beside, 1e-9 * measured.size[i])) error = larger(0, error - doubt);
    errors[i] =
        error == 0 ? 0 : error / (scale[i] > 0 ? scale[i] : larger(std::abs(found[i]), std::abs(measured.value[i])));
  }
  return errors;
}

double rate_error(double found, double scale, double tolerance, const std::function<double(double)>& f, double* rate) {
  const auto one = [](double x) -> Eigen::VectorXd { return Eigen::VectorXd::Constant(1, x); };
  Eigen::VectorXd rates;
  const double error = rate_errors(
      one(found), one(scale), tolerance, [&](double t) { return one(f(t)); }, &rates)[0];
  if (rate != nullptr) *rate = rates[0];
  return error;
}

}  // namespace polyform::host::conformance
