// The algorithm box of section 4 of Orsino 2017: a Kalman filter of a static process whose measurements are the
// constraints.
#include "innovation.hpp"

namespace polyform::hierarchy {

void udwadia_kalaba(const Innovation& in, const InnovationScratch& scratch, Vector a, Matrix P) noexcept {
  const Index n = in.PHt.rows(), m = in.PHt.cols();
  Matrix K(scratch.first, n, m), surplus(scratch.second, n, m);
  Vector gain(scratch.vector, m);

  // Eqs 4.16, 4.17:  K = P H̃ᵀ (H̃ P H̃ᵀ + R)^g
  for (Index i = 0; i < n; ++i) {
    gain = in.PHt.row(i);
    in.S_inverse.solve(gain.data());
    K.row(i) = gain;
  }
  // Eq 4.14:  a ← a + K (b̃ − H̃ a)
  a.noalias() += K * in.residual;
  // Eqs 4.15, 4.18:  P ← (I − K H̃) P (I − K H̃)ᵀ + K R Kᵀ  =  P − K (P H̃ᵀ)ᵀ + (K S − P H̃ᵀ) Kᵀ
  surplus = -in.PHt;
  surplus.noalias() += K * in.S;
  P.noalias() -= K * in.PHt.transpose();
  P.noalias() += surplus * K.transpose();
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i) P(i, j) = P(j, i) = 0.5 * (P(i, j) + P(j, i));
}

}  // namespace polyform::hierarchy
