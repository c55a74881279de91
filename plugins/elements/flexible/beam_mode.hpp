// Modes of a uniform Euler-Bernoulli beam in closed form.
#pragma once

#include <cstddef>

namespace polyform::flexible {

enum class Boundary { clamped_free, pinned_pinned, free_free };

/// One mode f(ξ) of a beam over 0 ≤ ξ = x / length ≤ 1, f'''' = λ⁴ f. For free-free beams only elastic modes count.
/// Scaled to f(1) = 1, pinned-pinned to +1 at the first of its largest deflections.
class BeamMode {
 public:
  /// k from 0.
  BeamMode(Boundary, std::size_t k) noexcept;

  double eigenvalue() const noexcept { return lambda_; }  ///< λ; ω² = λ⁴ EI / (μ length⁴)
  /// dⁿf/dξⁿ.
  double derivative(double xi, int n) const noexcept;

  double mean() const noexcept { return mean_; }      ///< ∫f dξ
  double moment() const noexcept { return moment_; }  ///< ∫ξ f dξ
  double square() const noexcept { return square_; }  ///< ∫f² dξ

 private:
  void set_hyperbolic(Boundary, std::size_t k) noexcept;

  double lambda_ = 0;
  double rising_ = 0, falling_ = 0;  ///< factors of exp(λ(ξ − 1)) and exp(−λξ)
  double cosine_ = 0, sine_ = 0;     ///< factors of cos λξ and sin λξ
  double mean_ = 0, moment_ = 0, square_ = 0;
};

}  // namespace polyform::flexible
