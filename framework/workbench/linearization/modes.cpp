#include "framework/workbench/linearization/modes.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/dense_equations.hpp"
#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/known_digits.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

constexpr double rounding = std::numeric_limits<double>::epsilon();
/// In a shape of size 1, smaller components than this are rounding of the elimination that found the shape.
constexpr double no_component = 1e-11;
/// Singular values below these parts of the norm count as zero. The lower bound is rounding; no derivative is known
/// more accurately than the upper one.
constexpr double least_zero = 1e-12, largest_zero = 1e-6;

/// A without its meaningless entries: those below their own errors, and those below the rounding of other terms in
/// their row when all states deviate by their scales. Such entries would connect states that are independent of each
/// other, and balancing would treat them as couplings. What is taken away may be there all the same: it counts as error.
MatrixXd without_noise(const MatrixXd& A, MatrixXd& error, const std::vector<double>& scales) {
  constexpr double of_row = 1e-14;
  const VectorXd s = Eigen::Map<const VectorXd>(scales.data(), A.cols());
  MatrixXd out = A;
  for (Index i = 0; i < A.rows(); ++i) {
    const double largest = A.row(i).transpose().cwiseProduct(s).lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < A.cols(); ++j)
      if (std::abs(A(i, j)) <= std::max(2 * error(i, j), of_row * largest / s[j])) {
        error(i, j) += std::abs(A(i, j));
        out(i, j) = 0;
      }
  }
  return out;
}

/// Powers of 2, d, that make rows and columns of diag(d)⁻¹ A diag(d) of equal size (Parlett and Reinsch 1969), no
/// further than `most` from those next to the scales.
VectorXd balance(const MatrixXd& A, const std::vector<double>& scales) {
  constexpr double most = 0x1p20;
  VectorXd d(A.rows());
  for (Index i = 0; i < A.rows(); ++i) d[i] = std::exp2(std::round(std::log2(scales[static_cast<std::size_t>(i)])));
  const VectorXd start = d;
  for (bool changed = true; changed;) {
    changed = false;
    for (Index i = 0; i < A.rows(); ++i) {
      double row = 0, column = 0;
      for (Index j = 0; j < A.rows(); ++j) {
        if (j == i) continue;
        row += std::abs(A(i, j)) * d[j] / d[i];
        column += std::abs(A(j, i)) * d[i] / d[j];
      }
      if (row == 0 || column == 0) continue;
      const double wanted = std::exp2(std::round(0.5 * std::log2(row / column)));
      const double f = std::clamp(d[i] * wanted, start[i] / most, start[i] * most) / d[i];
      if (column * f + row / f >= 0.95 * (column + row)) continue;
      d[i] *= f;
      changed = true;
    }
  }
  return d;
}

/// An orthogonal U with Uᵀ A U = [N X; 0 Y]: N strictly upper triangular by blocks (`zeros` columns), Y regular.
struct Staircase {
  MatrixXd U;  ///< empty without zeros: it would be the identity
  MatrixXd Y;
  Index zeros = 0, kernel = 0;  ///< algebraic and geometric multiplicity of the eigenvalue zero

  /// Uᵀ A U.
  MatrixXd transform(const MatrixXd& A) const {
    if (zeros == 0) return A;
    MatrixXd T = MatrixXd::Zero(A.rows(), A.cols());
    T.topRows(zeros) = (U.leftCols(zeros).transpose() * A).eval() * U;
    T.bottomRightCorner(Y.rows(), Y.cols()) = Y;
    for (Index k = 0; k < zeros; ++k) T.col(k).tail(T.rows() - k).setZero();  // on and below the diagonal of N
    return T;
  }
};

/// Whether A x leaves, beside the zeros that are known, more than errors and rounding of its own terms: the tolerance
/// of the whole has those of its fastest motions, next to which a slow one is no zero.
bool is_known_to_move(const MatrixXd& A, const MatrixXd& error, const MatrixXd& zeros, const VectorXd& x) {
  constexpr double certain = 1e3;
  const VectorXd rounded = VectorXd::Constant(x.size(), 4 * rounding);  // each component of a vector of size 1
  VectorXd left = A * x, doubt = error * x.cwiseAbs() + A.cwiseAbs() * (rounded + 4 * rounding * x.cwiseAbs());
  if (zeros.cols() > 0) {
    left -= (zeros * (zeros.transpose() * left)).eval();
    doubt += (zeros.cwiseAbs() * (zeros.cwiseAbs().transpose() * doubt)).eval();
  }
  return (left.cwiseAbs().array() > certain * doubt.array()).any();
}

Staircase deflate_zeros(const MatrixXd& A, const MatrixXd& error, double tolerance) {
  Staircase out;
  MatrixXd& Y = out.Y;
  Y = A;
  while (Y.rows() > 0) {
    const PivotedColumns pivots = pivoted_columns(Y.transpose(), tolerance);
    const MatrixXd& Q = pivots.Q;
    const Index n = Y.rows();
    Index rank = 0;
    while (rank < n && pivots.sizes[rank] > tolerance) ++rank;
    if (rank == n) break;
    const MatrixXd zeros = out.U.leftCols(out.zeros),
                   basis = out.zeros == 0 ? Q : MatrixXd(out.U.rightCols(n) * Q);
    while (rank < n && is_known_to_move(A, error, zeros, basis.col(rank))) ++rank;
    if (rank == n) break;
    if (out.zeros == 0) out.U.resize(n, n);
    out.U.rightCols(n) << basis.rightCols(n - rank), basis.leftCols(rank);
    Y = (Q.leftCols(rank).transpose() * Y * Q.leftCols(rank)).eval();
    if (out.kernel == 0) out.kernel = n - rank;
    out.zeros += n - rank;
  }
  return out;
}

/// How fast a motion may be that counts as rigid: what A x leaves, or may leave by errors and by the rounding of its
/// terms, are rates λ x of x itself, or accelerations, of which A makes λ² x. x: without components of rounding.
double rate_within(const MatrixXd& A, const MatrixXd& error, const VectorXd& x) {
  const VectorXd left = (A * x).cwiseAbs() + (16 * rounding * A.cwiseAbs() + error) * x.cwiseAbs();
  const VectorXd again = A.cwiseAbs() * left;
  const double size = x.cwiseAbs().maxCoeff();
  double rate = 0;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] != 0) rate = std::max({rate, left[i] / size, std::sqrt(again[i] / size)});
  return rate;
}

/// A basis of the same space in which each vector has a coordinate of its own.
MatrixXd echelon(MatrixXd basis) {
  VectorXd unused = VectorXd::Ones(basis.rows());
  for (Index k = 0; k < basis.cols(); ++k) {
    Index pivot = 0;
    basis.col(k).cwiseProduct(unused).cwiseAbs().maxCoeff(&pivot);
    unused[pivot] = 0;
    basis.col(k) /= basis(pivot, k);
    for (Index j = 0; j < basis.cols(); ++j)
      if (j != k) basis.col(j) -= (basis(pivot, j) * basis.col(k)).eval();
  }
  return (basis.array().abs() < no_component).select(0, basis);
}

void normalize(VectorXcd& shape, const std::vector<double>& scales) {
  Index largest = 0;
  double size = 0;
  for (Index i = 0; i < shape.size(); ++i)
    if (const double s = std::abs(shape[i]) / scales[static_cast<std::size_t>(i)]; s > size * (1 + known_part)) {
      size = s;
      largest = i;
    }
  if (size > 0) shape *= scales[static_cast<std::size_t>(largest)] / shape[largest];
}

/// Marks eigenvalues whose difference is no larger than errors can make that of a double one.
void mark_repeated(std::vector<Mode>& modes) {
  constexpr double near = 1e-6;
  for (Mode& mode : modes)  // rounding may turn a double real eigenvalue into a pair
    if (mode.kind == Mode::Kind::oscillating && mode.eigenvalue.imag() < near * std::abs(mode.eigenvalue))
      mode.repeated = mode.defective = true;
  for (std::size_t i = 0; i < modes.size(); ++i)
    for (std::size_t j = i + 1; j < modes.size(); ++j) {
      Mode &a = modes[i], &b = modes[j];
      if (a.kind == Mode::Kind::rigid || b.kind == Mode::Kind::rigid) continue;
      if (std::abs(a.eigenvalue - b.eigenvalue) > near * std::abs(a.eigenvalue)) continue;
      a.repeated = b.repeated = true;
      const double cosine = std::abs(a.shape.dot(b.shape)) / (a.shape.norm() * b.shape.norm());
      if (1 - cosine < near) a.defective = b.defective = true;
    }
}

/// Rounding parts a double eigenvalue zero into ±√δA, even where the derivatives seem to be known better than they
/// are: of a growing and a decaying mode of one such rate neither is known to be there. It may also part it into a pair
/// ±i√δA, which an oscillation as slow looks like unless its digits are known.
void doubt_parted_zeros(double worst, std::vector<Mode>& modes) {
  constexpr double alike = 1e-3, few_digits = 1e-2;
  for (Mode& mode : modes) {
    const double rate = mode.eigenvalue.real(), size = std::abs(mode.eigenvalue);
    if (mode.kind == Mode::Kind::oscillating && size <= worst && std::abs(rate) <= alike * size &&
        mode.error > few_digits * size)
      mode.error = std::max(mode.error, size);
    if (mode.kind != Mode::Kind::real || std::abs(rate) > worst) continue;
    const bool is_parted = std::any_of(modes.begin(), modes.end(), [&](const Mode& other) {
      return other.kind == Mode::Kind::real && std::abs(other.eigenvalue.real() + rate) <= alike * std::abs(rate);
    });
    if (!is_parted) continue;
    mode.error = std::max(mode.error, std::abs(rate));
    mode.trend = trend_of(mode);
  }
}

/// A X with a real A: two real products.
template <class Real, class Complex>
MatrixXcd product(const Real& A, const Complex& X) {
  MatrixXcd out(A.rows(), X.cols());
  out.real() = A * X.real();
  out.imag() = A * X.imag();
  return out;
}

void add_regular_modes(const MatrixXd& balanced, const MatrixXd& T, const Staircase& split, const VectorXd& d,
                       const MatrixXd& error, const std::vector<double>& scales, std::vector<Mode>& out) {
  const Index zeros = split.zeros, n = T.rows(), rest = n - zeros;
  if (rest == 0) return;
  const Eigensystem regular = eigensystem_of(T.bottomRightCorner(rest, rest));
  if (regular.values.size() == 0)
    throw Failure(Exit::simulation_failed, "the eigenvalues of the linear model were not found",
                  "Are there entries of very different size in A? Print it with --json.");
  std::vector<Index> kept;  // one of each pair
  for (Index k = 0; k < rest; ++k)
    if (!(regular.values[k].imag() < 0)) kept.push_back(k);
  const Index count = static_cast<Index>(kept.size());
  MatrixXcd y(n, count), left(rest, count);
  for (Index j = 0; j < count; ++j) {
    y.col(j).tail(rest) = regular.right.col(kept[static_cast<std::size_t>(j)]);
    left.col(j) = regular.left.row(kept[static_cast<std::size_t>(j)]).transpose();
  }
  if (zeros > 0) {
    const MatrixXcd above = product(T.topRightCorner(zeros, rest), y.bottomRows(rest));
    for (Index j = 0; j < count; ++j) {
      const MatrixXcd N = regular.values[kept[static_cast<std::size_t>(j)]] * MatrixXcd::Identity(zeros, zeros) -
                          T.topLeftCorner(zeros, zeros);
      y.col(j).head(zeros) = N.triangularView<Eigen::Upper>().solve(above.col(j));
    }
  }
  const MatrixXcd x = zeros > 0 ? product(split.U, y) : y,
                  w = zeros > 0 ? product(split.U.rightCols(rest), left) : left;
  const MatrixXcd moved = product(balanced, x);
  const MatrixXd doubt = error * x.cwiseAbs();
  const double norm = T.norm(), worst = std::sqrt(error.norm() * norm);
  for (Index j = 0; j < count; ++j) {
    Mode mode;
    mode.eigenvalue = regular.values[kept[static_cast<std::size_t>(j)]];
    mode.kind = mode.eigenvalue.imag() > 0 ? Mode::Kind::oscillating : Mode::Kind::real;
    // To first order wᵀ δA x with wᵀ x = 1; a nearly defective pair moves by no more than √δA.
    const double first_order = w.col(j).cwiseAbs().dot(doubt.col(j));
    mode.error = std::isfinite(first_order) ? std::min(first_order, worst) : worst;
    // The residual of A x = λ x is an error too: it holds rounding, and what was split off wrongly.
    const double left_over = (moved.col(j) - mode.eigenvalue * x.col(j)).norm() / x.col(j).norm();
    mode.error = std::max(mode.error, left_over);
    mode.shape = d.cwiseProduct(x.col(j).real()) + std::complex<double>(0, 1) * d.cwiseProduct(x.col(j).imag());
    normalize(mode.shape, scales);
    mode.trend = trend_of(mode);
    out.push_back(std::move(mode));
  }
  doubt_parted_zeros(worst, out);
}

}  // namespace

Mode::Trend trend_of(const Mode& mode) {
  const double rate = mode.eigenvalue.real();
  return rate > mode.error ? Mode::Trend::growing : rate < -mode.error ? Mode::Trend::decaying : Mode::Trend::neutral;
}

bool Modes::any(Mode::Trend trend) const {
  return std::any_of(all.begin(), all.end(), [&](const Mode& m) { return m.trend == trend; });
}

Modes find_modes(const MatrixXd& A, const MatrixXd& error, const std::vector<double>& scales) {
  Modes out;
  if (A.rows() == 0) return out;
  MatrixXd doubt = error;
  const MatrixXd clean = without_noise(A, doubt, scales);
  const VectorXd d = balance(clean, scales);
  const MatrixXd balanced = d.cwiseInverse().asDiagonal() * clean * d.asDiagonal();
  MatrixXd uncertain = d.cwiseInverse().asDiagonal() * doubt * d.asDiagonal();
  const double norm = balanced.norm();
  const MatrixXd own = uncertain;
  uncertain.array() += rounding * norm;
  const Staircase split =
      deflate_zeros(balanced, own, std::clamp(3 * uncertain.norm(), least_zero * norm, largest_zero * norm));
  const MatrixXd T = split.transform(balanced);
  out.zero_eigenvalues = static_cast<std::size_t>(split.zeros);
  const MatrixXd kernel =
      split.kernel > 0 ? echelon(d.asDiagonal() * split.U.leftCols(split.kernel)) : MatrixXd(A.rows(), 0);
  for (Index k = 0; k < split.kernel; ++k) {
    Mode mode;
    mode.kind = Mode::Kind::rigid;
    mode.repeated = split.zeros > 1;
    mode.defective = split.zeros > split.kernel;
    mode.error = uncertain.norm();
    mode.shape = kernel.col(k).cast<std::complex<double>>();
    normalize(mode.shape, scales);
    out.rigid_within = std::max(out.rigid_within, rate_within(balanced, own, d.cwiseInverse().cwiseProduct(kernel.col(k))));
    out.all.push_back(std::move(mode));
  }
  add_regular_modes(balanced, T, split, d, uncertain, scales, out.all);
  std::stable_sort(out.all.begin(), out.all.end(),
                   [](const Mode& a, const Mode& b) { return std::abs(a.eigenvalue) < std::abs(b.eigenvalue); });
  mark_repeated(out.all);
  return out;
}

}  // namespace polyform::host::linearization
