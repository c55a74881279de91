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

/// sum += Tᵀ M T. relative: T is [1 L; 0 R], as in the construction by velocities, and only what is not known of the
/// product is computed.
inline void transfer_inertia(const Matrix6& T, bool relative, const Matrix6& M, Matrix6& sum) {
  Matrix6 MT;
  if (relative) {
    const auto turned = T.rightCols<3>();
    MT.leftCols<3>() = M.leftCols<3>();
    MT.rightCols<3>().noalias() = M * turned;
    sum.topRows<3>() += MT.topRows<3>();
    sum.bottomRows<3>().noalias() += turned.transpose() * MT;
  } else {
    MT.noalias() = M * T;
    sum.noalias() += T.transpose() * MT;
  }
}

}  // namespace polyform::thompson
