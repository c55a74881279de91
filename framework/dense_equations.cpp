#include "framework/dense_equations.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <functional>
#include <limits>

#include "framework/dense_library.hpp"

namespace polyform::host {

using Eigen::MatrixXd;

namespace {

/// From so many rows on blocks are faster than single columns, and OpenBLAS is asked.
constexpr Eigen::Index large = 256;

const DenseLibrary* library_for(Eigen::Index rows) { return rows >= large ? dense_library() : nullptr; }

int as_int(Eigen::Index n) { return static_cast<int>(n); }

/// A⁻¹ in place of A; NaN where it is singular.
void invert(const DenseLibrary& library, MatrixXd& A) {
  const OneThread alone(library);
  constexpr Eigen::Index block = 64;
  const int n = as_int(A.rows()), size = as_int(A.rows() * block);
  std::vector<int> pivots(static_cast<std::size_t>(n));
  Eigen::VectorXd work(size);
  int info = 0;
  library.dgetrf(&n, &n, A.data(), &n, pivots.data(), &info);
  if (info == 0) library.dgetri(&n, A.data(), &n, pivots.data(), work.data(), &size, &info);
  if (info != 0) A.setConstant(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

MatrixXd product_of(const MatrixXd& A, const MatrixXd& B) {
  const DenseLibrary* const library = library_for(std::min({A.rows(), A.cols(), B.cols()}));
  if (library == nullptr) return A * B;
  const OneThread alone(*library);
  MatrixXd out(A.rows(), B.cols());
  const int m = as_int(A.rows()), k = as_int(A.cols()), n = as_int(B.cols());
  const double one = 1, zero = 0;
  library->dgemm("N", "N", &m, &n, &k, &one, A.data(), &m, B.data(), &k, &zero, out.data(), &m);
  return out;
}

MatrixXd least_squares(const MatrixXd& A, const MatrixXd& b, std::optional<double> threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors;
  if (threshold) factors.setThreshold(*threshold);
  return factors.compute(A).solve(b);
}

MatrixXd pseudo_inverse(const MatrixXd& A) { return least_squares(A, MatrixXd::Identity(A.rows(), A.rows())); }

MatrixXd solve_regular(const MatrixXd& A, const MatrixXd& b) { return A.partialPivLu().solve(b); }

MatrixXd inverse_of(const MatrixXd& A) {
  const DenseLibrary* const library = library_for(A.rows());
  if (library == nullptr) return A.partialPivLu().inverse();
  MatrixXd out = A;
  invert(*library, out);
  return out;
}

bool is_surely_regular(const MatrixXd& A, double tolerance) {
  constexpr double margin = 2;  // the inverse has the rounding of its condition
  return library_for(A.rows()) != nullptr && margin * tolerance * inverse_of(A).norm() < 1;
}

Eigen::VectorXd symmetric_eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SingularVectors left_singular_vectors(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullU);
  return {svd.singularValues(), svd.matrixU()};
}

SingularVectors right_singular_vectors(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  return {svd.singularValues(), svd.matrixV()};
}

namespace {

/// Of a square matrix. The basis is formed where is_needed tells so of the sizes.
PivotedColumns pivoted_columns_of(const DenseLibrary& library, const MatrixXd& A,
                                  const std::function<bool(const Eigen::VectorXd&)>& is_needed) {
  const OneThread alone(library);
  constexpr Eigen::Index block = 64;
  const int n = as_int(A.rows()), size = as_int(2 * A.rows() + (A.rows() + 1) * block);
  PivotedColumns out{{}, {}, A};
  std::vector<int> pivots(static_cast<std::size_t>(n));
  Eigen::VectorXd factors(n), work(size);
  int info = 0;
  library.dgeqp3(&n, &n, out.Q.data(), &n, pivots.data(), factors.data(), work.data(), &size, &info);
  out.sizes = out.Q.diagonal().cwiseAbs();
  for (const int pivot : pivots) out.order.push_back(pivot - 1);
  if (is_needed(out.sizes))
    library.dorgqr(&n, &n, &n, out.Q.data(), &n, factors.data(), work.data(), &size, &info);
  else
    out.Q.resize(0, 0);
  return out;
}

}  // namespace

PivotedColumns pivoted_columns(const MatrixXd& A, std::optional<double> with_basis_below) {
  const DenseLibrary* const library = A.rows() == A.cols() ? library_for(A.rows()) : nullptr;
  if (library != nullptr)
    return pivoted_columns_of(*library, A, [&](const Eigen::VectorXd& sizes) {
      return with_basis_below && !(sizes.minCoeff() > *with_basis_below);
    });
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A);
  PivotedColumns out{qr.matrixQR().diagonal().cwiseAbs(), {}, {}};
  const auto& order = qr.colsPermutation().indices();
  out.order.assign(order.data(), order.data() + order.size());
  const auto is_below = [&](double size) { return !(size > *with_basis_below); };
  if (with_basis_below && (out.sizes.size() < A.rows() || is_below(out.sizes.minCoeff()))) out.Q = qr.householderQ();
  return out;
}

namespace {

/// A = Q H Qᵀ with an orthogonal Q and zeros below the first subdiagonal of H.
struct Hessenberg {
  MatrixXd H, Q;
};

/// Some Householder reflections at once, I − V T Vᵀ, of the last rows.
struct Reflections {
  MatrixXd V, T;
};

/// By blocks of Householder reflections, so that most of the work is products of matrices (G. Quintana-Ortí, R. van de
/// Geijn, ACM Trans. Math. Softw. 32 (2006) 180-194, Sect. 2): column by column it is bound by the memory's speed.
Hessenberg hessenberg_of(const MatrixXd& A) {
  constexpr Eigen::Index block = 32;
  Hessenberg out{A, MatrixXd::Identity(A.rows(), A.cols())};
  MatrixXd& H = out.H;
  const Eigen::Index n = A.rows();
  std::vector<Reflections> all;
  for (Eigen::Index first = 0; first + 2 < n; first += block) {
    const Eigen::Index columns = std::min(block, n - 2 - first), above = first + 1, m = n - above;
    Reflections& r = all.emplace_back(Reflections{MatrixXd::Zero(m, columns), MatrixXd::Zero(columns, columns)});
    MatrixXd& V = r.V;
    MatrixXd Y(n, columns);  // H V T with H as it is before the block
    for (Eigen::Index i = 0; i < columns; ++i) {
      Eigen::VectorXd c = H.col(first + i).tail(m);
      if (i > 0) {
        c -= Y.bottomLeftCorner(m, i) * V.row(i - 1).head(i).transpose();
        const Eigen::VectorXd along = r.T.topLeftCorner(i, i).transpose() * (V.leftCols(i).transpose() * c);
        c -= V.leftCols(i) * along;
      }
      double tau = 0, beta = 0;
      Eigen::VectorXd essential(m - i - 1);
      c.tail(m - i).makeHouseholder(essential, tau, beta);
      V(i, i) = 1;
      V.col(i).tail(m - i - 1) = essential;
      c[i] = beta;
      c.tail(m - i - 1).setZero();
      H.col(first + i).tail(m) = c;
      const Eigen::VectorXd before = V.leftCols(i).transpose() * V.col(i);
      Y.col(i).tail(m) =
          tau * (H.bottomRightCorner(m, m - i) * V.col(i).tail(m - i) - Y.bottomLeftCorner(m, i) * before);
      r.T.col(i).head(i) = -tau * (r.T.topLeftCorner(i, i) * before);
      r.T(i, i) = tau;
    }
    Y.topRows(above) = (H.topRightCorner(above, m) * V) * r.T;
    H.block(0, above, above, columns - 1) -= Y.topRows(above) * V.topRows(columns - 1).transpose();
    const Eigen::Index rest = n - first - columns;
    H.rightCols(rest) -= Y * V.bottomRows(rest).transpose();
    const MatrixXd onto = r.T.transpose() * (V.transpose() * H.bottomRightCorner(m, rest));
    H.bottomRightCorner(m, rest) -= V * onto;
  }
  for (auto r = all.rbegin(); r != all.rend(); ++r) {
    auto Q = out.Q.bottomRightCorner(r->V.rows(), r->V.rows());
    const MatrixXd onto = r->T * (r->V.transpose() * Q);
    Q -= r->V * onto;
  }
  return out;
}

struct RightVectors {
  Eigen::VectorXcd values;  ///< empty when the iteration did not end
  Eigen::MatrixXcd vectors;
};

/// Without balancing: what is balanced by more than its errors allow couples by noise.
RightVectors right_vectors_of(const DenseLibrary& library, MatrixXd A) {
  const OneThread alone(library);
  const int n = as_int(A.rows());
  MatrixXd vectors(n, n);
  Eigen::VectorXd real(n), imaginary(n), scale(n), none(1);
  int low = 0, high = 0, info = 0;
  double norm = 0, best = 0;
  const auto find = [&](double* work, int size) {
    library.dgeevx("N", "N", "V", "N", &n, A.data(), &n, real.data(), imaginary.data(), none.data(), &n, vectors.data(),
                   &n, &low, &high, scale.data(), &norm, none.data(), none.data(), work, &size, nullptr, &info);
  };
  find(&best, -1);
  Eigen::VectorXd work(static_cast<Eigen::Index>(best));
  find(work.data(), as_int(work.size()));
  if (info != 0) return {};
  RightVectors out{Eigen::VectorXcd(n), Eigen::MatrixXcd(n, n)};
  out.values.real() = real;
  out.values.imag() = imaginary;
  for (Eigen::Index k = 0; k < n; ++k) {
    out.vectors.col(k).real() = vectors.col(k);
    out.vectors.col(k).imag().setZero();
    if (imaginary[k] == 0 || k + 1 == n) continue;
    out.vectors.col(k).imag() = vectors.col(k + 1);
    out.vectors.col(k + 1) = out.vectors.col(k).conjugate();
    ++k;
  }
  return out;
}

RightVectors right_vectors_of(const MatrixXd& A) {
  const bool is_large = A.rows() >= large;
  Hessenberg reduced;
  if (is_large) reduced = hessenberg_of(A);
  const Eigen::EigenSolver<MatrixXd> solver(is_large ? reduced.H : A);
  if (solver.info() != Eigen::Success) return {};
  RightVectors out{solver.eigenvalues(), solver.eigenvectors()};
  if (is_large) {
    out.vectors.real() = (reduced.Q * out.vectors.real()).eval();
    out.vectors.imag() = (reduced.Q * out.vectors.imag()).eval();
  }
  return out;
}

}  // namespace

Eigen::VectorXcd eigenvalues_of(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A, false);
  return solver.info() == Eigen::Success ? solver.eigenvalues() : Eigen::VectorXcd();
}

Eigensystem eigensystem_of(const MatrixXd& A) {
  const DenseLibrary* const library = library_for(A.rows());
  RightVectors found = library != nullptr ? right_vectors_of(*library, A) : right_vectors_of(A);
  if (found.values.size() != A.rows()) return {};
  Eigensystem out{std::move(found.values), std::move(found.vectors), {}};
  // The inverse of the right ones, from a real one: vectors r + is and r − is have the left ones (l ∓ im)/2, l and m
  // those of r and s.
  const Eigen::Index n = A.rows();
  const auto is_pair = [&](Eigen::Index k) { return k + 1 < n && !out.right.col(k).imag().isZero(0); };
  MatrixXd parts(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    parts.col(k) = out.right.col(k).real();
    if (!is_pair(k)) continue;
    parts.col(k + 1) = out.right.col(k).imag();
    ++k;
  }
  const MatrixXd inverse = inverse_of(parts);
  out.left.resize(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    out.left.row(k).real() = inverse.row(k);
    out.left.row(k).imag().setZero();
    if (!is_pair(k)) continue;
    out.left.row(k).real() = inverse.row(k) / 2;
    out.left.row(k).imag() = -inverse.row(k + 1) / 2;
    out.left.row(k + 1) = out.left.row(k).conjugate();
    ++k;
  }
  return out;
}

}  // namespace polyform::host
