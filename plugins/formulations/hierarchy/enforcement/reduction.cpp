#include "reduction.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::hierarchy {
namespace {

/// A pivot of this size relative to the largest inertia is the rounding of zero. That of a block is about 1 in its own
/// units, also where it is held and rounding alone is left of it in M.
constexpr double no_inertia = 1e-13;

/// Householder's reflections from the right that make S lower triangular; M, f and C follow.
void turn(Reduction& r, double* work) {
  const Index n = r.S.rows(), d = r.S.cols();
  for (Index j = 0; j < n; ++j) {
    Vector v(work, d - j);
    v = r.S.row(j).tail(d - j).transpose();
    const double length = std::copysign(v.norm(), v[0]);
    if (length == 0) continue;
    v[0] += length;
    const double scale = 1 / (length * v[0]);
    for (Index i = j + 1; i < n; ++i) {
      const double s = scale * r.S.row(i).tail(d - j).dot(v);
      r.S.row(i).tail(d - j) -= s * v.transpose();
    }
    r.S(j, j) = -length;
    r.S.row(j).tail(d - j - 1).setZero();
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
  }
}

/// Adds the motion z with Lᵀ z = e_j / L_jj to the sum, where the pivot of row j has come out as zero, and leaves it out
/// of the factorization.
void hold(Eigen::Ref<Eigen::MatrixXd> M22, Index j, Vector z, Vector sum) {
  z[j] = 1;
  for (Index i = j; i-- > 0;) {
    double s = -M22(j, i);
    for (Index k = i + 1; k < j; ++k) s -= M22(k, i) * z[k];
    z[i] = s / M22(i, i);
  }
  sum.head(j + 1) += z.head(j + 1);
  M22(j, j) = 1;
  M22.col(j).tail(M22.rows() - j - 1).setZero();
}

}  // namespace

bool condense(Reduction& r, double* work, double* free) noexcept {
  const Index n = r.S.rows(), d = r.S.cols();
  r.kept = std::min(n, d);
  if (r.kept == d) return true;
  turn(r, work);
  const Index e = d - n;
  const double yardstick = no_inertia * std::max(1.0, r.M.diagonal().maxCoeff());
  // Cholesky's factorization of M₂₂ in its place; M₂₁ and f₂ take part, so that X = L⁻¹ M₂₁ and c = L⁻¹ f₂.
  auto M22 = r.M.bottomRightCorner(e, e);
  Matrix X = r.follow();
  Vector c = r.offset();
  X = r.M.bottomLeftCorner(e, n);
  c = r.f.tail(e);
  bool regular = true;
  for (Index j = 0; j < e; ++j) {
    double pivot = M22(j, j);
    for (Index k = 0; k < j; ++k) pivot -= M22(j, k) * M22(j, k);
    if (!(pivot > yardstick)) {
      Vector sum(free, e);
      if (regular) sum.setZero();
      regular = false;
      hold(M22, j, {work, e}, sum);
      X.row(j).setZero();
      c[j] = 0;
      continue;
    }
    M22(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < e; ++i) {
      double s = M22(i, j);
      for (Index k = 0; k < j; ++k) s -= M22(i, k) * M22(j, k);
      M22(i, j) = s / M22(j, j);
    }
    for (Index k = 0; k < j; ++k) {
      X.row(j) -= M22(j, k) * X.row(k);
      c[j] -= M22(j, k) * c[k];
    }
    X.row(j) /= M22(j, j);
    c[j] /= M22(j, j);
  }
  r.M.topLeftCorner(n, n).noalias() -= X.transpose() * X;
  r.f.head(n).noalias() -= X.transpose() * c;
  for (Index j = e; j-- > 0;) {
    for (Index k = j + 1; k < e; ++k) {
      X.row(j) -= M22(k, j) * X.row(k);
      c[j] -= M22(k, j) * c[k];
    }
    X.row(j) /= M22(j, j);
    c[j] /= M22(j, j);
  }
  return regular;
}

}  // namespace polyform::hierarchy
