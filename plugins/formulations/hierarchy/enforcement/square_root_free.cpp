// Eqs 4.14–4.16 of Orsino 2017 multiplied by M^{-1/2} from the left (and right): no square root of M is left.
#include "innovation.hpp"

namespace polyform::hierarchy {

void square_root_free(const Innovation& in, const InnovationScratch& scratch, Vector alpha, Matrix Pi) noexcept {
  const Index n = in.PHt.rows(), m = in.PHt.cols();
  // K = Π Ãᵀ S^g,  α ← α + K (b̃ − Ã α)
  Vector lambda(scratch.vector, m);
  lambda = in.residual;
  in.S_inverse.solve(lambda.data());
  alpha += in.PHt.lazyProduct(lambda);
  // Π ← Π − K Ã Π = Π − Y Yᵀ,  Y = Π Ãᵀ W,  W Wᵀ = S^g: symmetric to the last digit
  Matrix Y(scratch.first, n, m), temporary(scratch.second, n, m);
  Y = in.PHt;
  in.S_inverse.scale_columns(Y, temporary);
  const auto used = Y.leftCols(in.S_inverse.rank());
  Pi -= used.lazyProduct(used.transpose());
}

}  // namespace polyform::hierarchy
