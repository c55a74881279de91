// The constant generalized mass of a body.
#pragma once

#include "h2.hpp"
#include "polyform/solvers/singular_inertia.hpp"

namespace polyform::thompson {

/// diag(m 1, J)
inline Matrix6 mass_matrix(const BodyData& body) {
  Matrix6 M = Matrix6::Zero();
  M.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
  const Mat3 J = body.inertia.full();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) M(3 + r, 3 + c) = J.m[3 * r + c];
  return M;
}

/// sum += Tᵀ M T
inline void transfer_inertia(const Matrix6& T, const Matrix6& M, Matrix6& sum) {
  Matrix6 MT;
  MT.noalias() = M * T;
  sum.noalias() += T.transpose() * MT;
}

}  // namespace polyform::thompson
