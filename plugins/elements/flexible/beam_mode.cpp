#include "beam_mode.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace polyform::flexible {
namespace {

/// The root δ of sin δ = sign / cosh(a + δ). Both characteristic equations, cos λ cosh λ = −1 (clamped-free) and 1
/// (free-free), come to it with λ = a + δ and a the zero of the cosine beside λ. Nothing grows with λ.
double root_beside(double a, double sign) noexcept {
  double delta = 0, step = 1;
  while (std::abs(step) > std::numeric_limits<double>::epsilon() * a) {
    const double e = std::exp(-(a + delta)), sech = 2 * e / (1 + e * e), tanh = (1 - e * e) / (1 + e * e);
    step = (std::sin(delta) - sign * sech) / (std::cos(delta) + sign * sech * tanh);
    delta -= step;
  }
  return delta;
}

}  // namespace

BeamMode::BeamMode(Boundary boundary, std::size_t k) noexcept {
  const double odd = k % 2 == 0 ? 1 : -1;  // (−1)^k
  if (boundary != Boundary::pinned_pinned) {
    set_hyperbolic(boundary, k);
    return;
  }
  lambda_ = std::numbers::pi * (static_cast<double>(k) + 1);
  sine_ = 1;
  mean_ = (1 + odd) / lambda_;
  moment_ = odd / lambda_;
  square_ = 0.5;
}

/// 2 (−1)^k f = cosh λξ + s cos λξ − σ (sinh λξ + s sin λξ), s = −1 for clamped-free and 1 for free-free,
/// σ = (cosh λ − s cos λ) / (sinh λ − s sin λ) (R. D. Blevins, Formulas for Natural Frequency and Mode Shape, 1979,
/// Table 8-1). The difference cosh λξ − σ sinh λξ is written as ½ (1 − σ) exp(λξ) + ½ (1 + σ) exp(−λξ), where
/// 1 − σ = p exp(−λ) with p of order one, so high modes lose no digits.
void BeamMode::set_hyperbolic(Boundary boundary, std::size_t k) noexcept {
  const double s = boundary == Boundary::free_free ? 1 : -1, odd = k % 2 == 0 ? 1 : -1;
  const double quarter_waves = static_cast<double>(k) + (s > 0 ? 1.5 : 0.5);
  const double a = std::numbers::pi * quarter_waves, delta = root_beside(a, odd);
  lambda_ = a + delta;
  const double sine = -s * odd * std::cos(delta), cosine = s * odd * std::sin(delta);  // of λ
  const double e = std::exp(-lambda_);
  const double p = 2 * (s * (cosine - sine) - e) / (1 - e * e - 2 * s * e * sine), sigma = 1 - p * e;
  rising_ = 0.25 * odd * p;
  falling_ = 0.25 * odd * (1 + sigma);
  cosine_ = 0.5 * odd * s;
  sine_ = -0.5 * odd * s * sigma;
  square_ = 0.25;
  if (s > 0) return;  // elastic free-free modes move neither the mass centre nor turn the mean axes
  mean_ = odd * sigma / lambda_;
  moment_ = odd / (lambda_ * lambda_);
}

double BeamMode::derivative(double xi, int n) const noexcept {
  const double c = std::cos(lambda_ * xi), s = std::sin(lambda_ * xi);
  const double cosines[] = {c, -s, -c, s}, sines[] = {s, c, -s, -c};
  const double falling = n % 2 == 0 ? falling_ : -falling_;
  return std::pow(lambda_, n) * (rising_ * std::exp(lambda_ * (xi - 1)) + falling * std::exp(-lambda_ * xi) +
                                 cosine_ * cosines[n % 4] + sine_ * sines[n % 4]);
}

}  // namespace polyform::flexible
