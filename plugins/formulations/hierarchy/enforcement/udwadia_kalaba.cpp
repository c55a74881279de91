// The algorithm box of section 4 of Orsino 2017: a Kalman filter of a static process whose measurements are the
// constraints.
#include "innovation.hpp"

namespace polyform::hierarchy {

void udwadia_kalaba(const Innovation& in, const InnovationScratch& scratch, Vector a, Matrix P) noexcept {
  const Index n = in.PHt.rows(), m = in.PHt.cols();
  Matrix K(scratch.first, n, m), surplus(scratch.second, n, m);

  // Eqs 4.16, 4.17:  K = P H̃ᵀ (H̃ P H̃ᵀ + R)^g
  K = in.PHt;
  in.S_inverse.solve_rows(K, surplus);
  // Eq 4.14:  a ← a + K (b̃ − H̃ a)
  a += K.lazyProduct(in.residual);
  // Eqs 4.15, 4.18:  P ← (I − K H̃) P (I − K H̃)ᵀ + K R Kᵀ  =  P − K (P H̃ᵀ)ᵀ + (K S − P H̃ᵀ) Kᵀ
  surplus = K.lazyProduct(in.S) - in.PHt;
  for (Index j = 0; j < n; ++j) {
    const Index below = n - j;  // P is symmetric: half of it
    P.col(j).tail(below) += surplus.bottomRows(below).lazyProduct(K.row(j).transpose()) -
                            K.bottomRows(below).lazyProduct(in.PHt.row(j).transpose());
    P.row(j).tail(below) = P.col(j).tail(below).transpose();
  }
}

}  // namespace polyform::hierarchy
