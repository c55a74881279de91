#include "reduction.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::hierarchy {
namespace {

/// A pivot of this size relative to the largest inertia is the rounding of zero. A pivot of a block is about 1 in the
/// block's own units, even if the block is held and only rounding of it is left in M.
constexpr double no_inertia = 1e-14;
/// A row of S is rounding if its rest is a smaller part of its free length (squared). Rounding must not count as a
/// motion of the interface: its direction is random, and it would split motions that have no inertia.
constexpr double no_motion = 1e-24;

/// Householder's reflections from the right make S lower trapezoidal, with as many columns as it has rank; M, f and C
/// follow. Entries that no coordinate moves are zero afterwards.
void turn(Reduction& r, double* work) {
  const Index d = r.S.cols();
  for (Index row = 0; row < r.S.rows(); ++row) {
    const Index j = r.kept;
    auto left = r.S.row(row).tail(d - j);
    if (!(left.squaredNorm() > no_motion * r.free_lengths[row])) {
      left.setZero();
      continue;
    }
    Vector v(work, d - j);
    v = left.transpose();
    const double length = std::copysign(v.norm(), v[0]);
    v[0] += length;
    const double scale = 1 / (length * v[0]);
    for (Index i = row + 1; i < r.S.rows(); ++i) {
      const double s = scale * r.S.row(i).tail(d - j).dot(v);
      r.S.row(i).tail(d - j) -= s * v.transpose();
    }
    r.S(row, j) = -length;
    r.S.row(row).tail(d - j - 1).setZero();
    for (Index i = 0; i < r.C.rows(); ++i) {
      const double s = scale * r.C.row(i).tail(d - j).dot(v);
      r.C.row(i).tail(d - j) -= s * v.transpose();
    }
    for (Index i = 0; i < d; ++i) {
      const double s = scale * r.M.row(i).tail(d - j).dot(v);
      r.M.row(i).tail(d - j) -= s * v.transpose();
    }
    for (Index i = 0; i < d; ++i) {
      const double s = scale * r.M.col(i).tail(d - j).dot(v);
      r.M.col(i).tail(d - j) -= s * v;
    }
    const double s = scale * r.f.tail(d - j).dot(v);
    r.f.tail(d - j) -= s * v;
    ++r.kept;
  }
}

/// Cholesky's factorization M₂₂ = L Lᵀ in its place, the largest pivot first; returns its rank. Coordinates are swapped
/// in the whole model.
Index factorize(Reduction& r) {
  const Index n = r.kept, e = r.eliminated();
  const double largest = std::max(1.0, r.M.diagonal().maxCoeff()), least_pivot = no_inertia * largest;
  auto M22 = r.M.bottomRightCorner(e, e);
  for (Index j = 0; j < e; ++j) {
    Index pivot = 0;
    if (!(M22.diagonal().tail(e - j).maxCoeff(&pivot) > least_pivot)) return j;
    if (pivot += j; pivot != j) {
      r.M.row(n + j).swap(r.M.row(n + pivot));
      r.M.col(n + j).swap(r.M.col(n + pivot));
      r.C.col(n + j).swap(r.C.col(n + pivot));
      std::swap(r.f[n + j], r.f[n + pivot]);
    }
    r.lightest = std::min(r.lightest, M22(j, j) / largest);
    M22(j, j) = std::sqrt(M22(j, j));
    auto column = M22.col(j).tail(e - j - 1);
    column /= M22(j, j);
    M22.bottomRightCorner(e - j - 1, e - j - 1).noalias() -= column * column.transpose();
  }
  return e;
}

}  // namespace

bool condense(Reduction& r, double* work, double* free) noexcept {
  const Index d = r.S.cols();
  r.kept = d;
  if (d <= r.S.rows()) return true;
  r.kept = 0;
  turn(r, work);
  const Index n = r.kept, e = d - n, rank = factorize(r);
  // X = M₂₂⁻¹ M₂₁ and c = M₂₂⁻¹ f₂ by L; coordinates without inertia stay where they are.
  Matrix X = r.follow();
  Vector c = r.offset();
  X = r.M.bottomLeftCorner(e, n);
  X.bottomRows(e - rank).setZero();
  c = r.f.tail(e);
  c.tail(e - rank).setZero();
  const auto L = r.M.block(n, n, rank, rank).triangularView<Eigen::Lower>();
  auto X_top = X.topRows(rank);
  auto c_top = c.head(rank);
  L.solveInPlace(X_top);
  L.solveInPlace(c_top);
  r.M.topLeftCorner(n, n).noalias() -= X_top.transpose() * X_top;
  r.f.head(n).noalias() -= X_top.transpose() * c_top;
  L.transpose().solveInPlace(X_top);
  L.transpose().solveInPlace(c_top);
  if (rank == e) return true;
  // Lᵀ z₁ = −L₂ᵀ z₂ with z₂ = (1 … 1)
  Vector z(free, e);
  z.tail(e - rank).setOnes();
  z.head(rank) = -r.M.block(n + rank, n, e - rank, rank).colwise().sum().transpose();
  auto z_top = z.head(rank);
  L.transpose().solveInPlace(z_top);
  return false;
}

}  // namespace polyform::hierarchy
