// The constant generalized mass of a body.
#pragma once

#include "h2.hpp"

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

/// Without mass, or without inertia about some axis (a determinant of rounding).
inline bool is_singular(const BodyData& body) {
  const Sym3& j = body.inertia;
  const double scale = j.xx + j.yy + j.zz;
  const double determinant =
      j.xx * (j.yy * j.zz - j.yz * j.yz) - j.xy * (j.xy * j.zz - j.xz * j.yz) + j.xz * (j.xy * j.yz - j.yy * j.xz);
  return !(body.mass > 0) || !(determinant > 1e-14 * scale * scale * scale);
}

/// sum += Tᵀ M T
inline void transfer_inertia(const Matrix6& T, const Matrix6& M, Matrix6& sum) {
  Matrix6 MT;
  MT.noalias() = M * T;
  sum.noalias() += T.transpose() * MT;
}

}  // namespace polyform::thompson
