#include "framework/workbench/linearization/modes.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "framework/dense_equations.hpp"
#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/known_digits.hpp"
#include "framework/workbench/linearization/slow_space.hpp"
#include "framework/workbench/linearization/zero_staircase.hpp"

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

/// A without its meaningless entries, those below their own errors. Such entries would connect states that are
/// independent of each other, and balancing would treat them as couplings. What is taken away may be there all the
/// same: it counts as error.
MatrixXd without_noise(const MatrixXd& A, MatrixXd& error) {
  const auto is_noise = (A.array().abs() <= 2 * error.array()).eval();
  error += is_noise.select(A.cwiseAbs(), 0.0).matrix();
  return is_noise.select(0.0, A.array());
}

/// By which balancing may move a scale: of A, which may have couplings that are noise, and of a matrix of slow motions,
/// where two by two they part by no more than an entry that is known does from a rounding of another one.
constexpr double most_moved = 0x1p20, most_moved_of_slow = 0x1p12;

/// Powers of 2, d, that make rows and columns of diag(d)⁻¹ A diag(d) of equal size (Parlett and Reinsch 1969), no
/// further than `most` from those next to the scales.
VectorXd balance(const MatrixXd& A, const std::vector<double>& scales, double most) {
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

/// Between the shapes of modes that are repeated; of others zero. By products of matrices: all modes of a rod may be.
MatrixXd cosines_of(const std::vector<Mode>& modes) {
  const auto count = static_cast<Index>(modes.size()), n = modes.empty() ? 0 : modes.front().shape.size();
  MatrixXcd X = MatrixXcd::Zero(n, count);
  for (Index k = 0; k < count; ++k)
    if (const Mode& mode = modes[static_cast<std::size_t>(k)]; mode.repeated && mode.kind != Mode::Kind::rigid)
      X.col(k) = mode.shape.normalized();
  const MatrixXd real = X.real(), imaginary = X.imag(), across = product_of(real.transpose(), imaginary),
                 along = product_of(real.transpose(), real) + product_of(imaginary.transpose(), imaginary);
  return (along.array().square() + (across - across.transpose()).array().square()).sqrt();
}

/// Marks eigenvalues whose difference is no larger than errors can make that of a double one.
void mark_repeated(std::vector<Mode>& modes) {
  constexpr double near = 1e-6;
  for (Mode& mode : modes)  // rounding may turn a double real eigenvalue into a pair
    if (mode.kind == Mode::Kind::oscillating && mode.eigenvalue.imag() < near * std::abs(mode.eigenvalue))
      mode.repeated = mode.defective = true;
  std::vector<std::pair<Mode*, Mode*>> pairs;
  for (std::size_t i = 0; i < modes.size(); ++i)
    for (std::size_t j = i + 1; j < modes.size(); ++j) {
      Mode &a = modes[i], &b = modes[j];
      if (a.kind == Mode::Kind::rigid || b.kind == Mode::Kind::rigid) continue;
      if (std::abs(a.eigenvalue - b.eigenvalue) > near * std::abs(a.eigenvalue)) continue;
      a.repeated = b.repeated = true;
      pairs.emplace_back(&a, &b);
    }
  const MatrixXd cosines = cosines_of(modes);
  for (const auto& [a, b] : pairs)
    if (1 - cosines(a - modes.data(), b - modes.data()) < near) a->defective = b->defective = true;
}

/// An estimate of an error is right within factor_of_error. What is more than so many times its error is none: no entry
/// of a matrix of slow motions, no eigenvalue of it that errors part from zero.
constexpr double beyond_doubt = 3 * factor_of_error;

/// What is known of the errors of a matrix.
enum class Errors {
  of_all,     ///< rounding is that of the largest entry, and so may be each error
  of_entries  ///< each entry that is not zero is beyond doubt by its own error
};

/// Rounding parts a double eigenvalue zero into ±√δA, and two of them into ±√δA (1 ± i)/√2, even where the derivatives
/// seem to be known better than they are: of a growing and a decaying mode of one such rate neither is known to be
/// there. It may also part it into a pair ±i√δA, which an oscillation as slow looks like unless its digits are known.
void doubt_parted_zeros(Errors errors, double worst, std::vector<Mode>& modes) {
  constexpr double alike = 1e-3, few_digits = 1e-2;
  const auto may_be_parted = [&](const Mode& mode) {
    const double size = std::abs(mode.eigenvalue);
    return errors == Errors::of_all ? size <= worst : size <= beyond_doubt * mode.error;
  };
  for (Mode& mode : modes) {
    const double rate = mode.eigenvalue.real(), size = std::abs(mode.eigenvalue);
    if (!may_be_parted(mode)) continue;
    if (mode.kind == Mode::Kind::oscillating && std::abs(rate) <= alike * size) {
      if (mode.error > few_digits * size) mode.error = std::max(mode.error, size);
      continue;
    }
    const std::complex<double> opposite = -std::conj(mode.eigenvalue);
    const bool is_parted = std::any_of(modes.begin(), modes.end(), [&](const Mode& other) {
      return other.kind == mode.kind && std::abs(other.eigenvalue - opposite) <= alike * size;
    });
    if (!is_parted) continue;
    mode.error = std::max(mode.error, size);
    mode.trend = trend_of(mode);
  }
}

/// A X with a real A: two real products.
template <class Real, class Complex>
MatrixXcd product(const Real& A, const Complex& X) {
  MatrixXcd out(A.rows(), X.cols());
  out.real() = product_of(A, X.real());
  out.imag() = product_of(A, X.imag());
  return out;
}

/// What is found of ẋ = A x, in the coordinates of A: shapes are not normalized.
struct Found {
  std::vector<Mode> moving;
  MatrixXd kernel;  ///< of rigid modes
  Index zeros = 0;  ///< algebraic multiplicity of the eigenvalue zero
  double zero_error = 0;
  double rigid_within = 0;  ///< as far as matrices of slow motions tell: see Modes
};

/// Eigenvalues of T, without conjugates, with the right and left eigenvectors of T that belong to them.
struct Pairs {
  std::vector<std::complex<double>> values;
  MatrixXcd right, left;
};

Pairs pairs_of(const MatrixXd& T) {
  const Eigensystem all = eigensystem_of(T);
  if (all.values.size() != T.rows())
    throw Failure(Exit::simulation_failed, "the eigenvalues of the linear model were not found",
                  "Are there entries of very different size in A? Print it with --json.");
  std::vector<Index> kept;
  for (Index k = 0; k < T.rows(); ++k)
    if (!(all.values[k].imag() < 0)) kept.push_back(k);
  const Index count = static_cast<Index>(kept.size());
  Pairs out{{}, MatrixXcd(T.rows(), count), MatrixXcd(T.rows(), count)};
  for (Index j = 0; j < count; ++j) {
    const Index k = kept[static_cast<std::size_t>(j)];
    out.values.push_back(all.values[k]);
    out.right.col(j) = all.right.col(k);
    out.left.col(j) = all.left.row(k).transpose();
  }
  return out;
}

/// x, w: right and left eigenvectors of A with wᵀ x = 1; size: of A in what they come from.
std::vector<Mode> moving_modes(const MatrixXd& A, const MatrixXd& error, Errors errors, double size,
                               const std::vector<std::complex<double>>& values, const MatrixXcd& x,
                               const MatrixXcd& w) {
  std::vector<Mode> out;
  const MatrixXcd moved = product(A, x);
  const MatrixXd doubt = product_of(error, x.cwiseAbs());
  const double worst = std::sqrt(error.norm() * size);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto j = static_cast<Index>(k);
    Mode mode;
    mode.eigenvalue = values[k];
    mode.kind = mode.eigenvalue.imag() > 0 ? Mode::Kind::oscillating : Mode::Kind::real;
    // To first order wᵀ δA x with wᵀ x = 1; a nearly defective pair moves by no more than √δA.
    const double first_order = w.col(j).cwiseAbs().dot(doubt.col(j));
    mode.error = std::isfinite(first_order) ? std::min(first_order, worst) : worst;
    // The residual of A x = λ x is an error too: it holds rounding, and what was split off wrongly.
    const double left_over = (moved.col(j) - mode.eigenvalue * x.col(j)).norm() / x.col(j).norm();
    mode.error = std::max(mode.error, left_over);
    mode.shape = x.col(j);
    mode.trend = trend_of(mode);
    out.push_back(std::move(mode));
  }
  doubt_parted_zeros(errors, worst, out);
  return out;
}

MatrixXd with_rounding(MatrixXd error, double norm) {
  error.array() += rounding * norm;
  return error;
}

/// Motions are no slower than what the fastest one leaves of them, or zero.
Found on_one_scale(const MatrixXd& A, const MatrixXd& own, Errors errors) {
  const double norm = A.norm();
  const MatrixXd error = with_rounding(own, norm);
  const Staircase split = deflate_zeros(A, &own, std::clamp(3 * error.norm(), least_zero * norm, largest_zero * norm));
  const Index zeros = split.zeros, n = A.rows(), rest = n - zeros;
  Found out{{}, split.U.leftCols(split.kernel), zeros, error.norm()};
  if (rest == 0) return out;
  const MatrixXd T = split.transform(A);
  const Pairs regular = pairs_of(T.bottomRightCorner(rest, rest));
  if (zeros == 0) {
    out.moving = moving_modes(A, error, errors, T.norm(), regular.values, regular.right, regular.left);
    return out;
  }
  MatrixXcd y(n, regular.right.cols());
  y.bottomRows(rest) = regular.right;
  const MatrixXcd above = product(T.topRightCorner(zeros, rest), regular.right);
  for (Index j = 0; j < y.cols(); ++j) {
    const MatrixXcd N =
        regular.values[static_cast<std::size_t>(j)] * MatrixXcd::Identity(zeros, zeros) - T.topLeftCorner(zeros, zeros);
    y.col(j).head(zeros) = N.triangularView<Eigen::Upper>().solve(above.col(j));
  }
  out.moving = moving_modes(A, error, errors, T.norm(), regular.values, product(split.U, y),
                            product(split.U.rightCols(rest), regular.left));
  return out;
}

/// The same for any sum of rigid motions: a motion that grows may be spread over all of them.
double rate_within(const MatrixXd& A, const MatrixXd& error, const MatrixXd& kernel) {
  double squares = 0;
  for (Index k = 0; k < kernel.cols(); ++k) squares += std::pow(rate_within(A, error, VectorXd(kernel.col(k))), 2);
  return std::sqrt(squares);
}

/// Whether rigid modes may move at a rate that would be told, or others have few digits.
bool has_doubts(const MatrixXd& A, const MatrixXd& own, const Found& found) {
  double slowest = 1;
  bool any = false;
  for (const Mode& mode : found.moving) {
    slowest = std::min(slowest, std::abs(mode.eigenvalue));
    any = any || mode.error > few_digits_part * std::abs(mode.eigenvalue);
  }
  return any || (found.kernel.cols() > 0 && rate_within(A, own, echelon(found.kernel)) > few_digits_part * slowest);
}

bool is_resolved(const Mode& mode) { return std::abs(mode.eigenvalue) > factor_of_error * mode.error; }

Found on_all_scales(const MatrixXd& A, const MatrixXd& own, Errors);

/// Slow motions by a matrix of their own, which has only their own errors. Nothing where they are not parted from fast
/// ones, or where none of them is resolved: `unresolved` is then how fast they may be. errors: of A.
std::optional<Found> by_scales(const MatrixXd& A, const MatrixXd& own, Errors errors, double& unresolved) {
  constexpr double slow_parts[] = {1e-6, 1e-9, 1e-12};  // of the norm
  const double norm = A.norm();
  Index tried = 0;
  for (const double part : slow_parts) {
    const Staircase split = deflate_zeros(A, nullptr, part * norm);
    if (split.zeros == 0) return std::nullopt;
    if (split.zeros == A.rows() || split.zeros == tried) continue;
    tried = split.zeros;
    std::optional<SlowSpace> parted = slow_space(A, own, split.U, split.zeros);
    if (!parted) continue;
    MatrixXd &slow = parted->slow, &error = parted->error;
    const auto is_none = (slow.array().abs() <= beyond_doubt * error.array()).eval();
    error += is_none.select(slow.cwiseAbs(), 0.0).matrix();
    slow = is_none.select(0.0, slow.array()).matrix();
    const VectorXd d =
        balance(slow, std::vector<double>(static_cast<std::size_t>(slow.rows()), 1.0), most_moved_of_slow);
    slow = (d.cwiseInverse().asDiagonal() * slow * d.asDiagonal()).eval();
    error = (d.cwiseInverse().asDiagonal() * error * d.asDiagonal()).eval();
    Found out = on_all_scales(slow, error, Errors::of_entries);
    const MatrixXd V = parted->V * d.asDiagonal();
    if (!out.moving.empty() && std::ranges::none_of(out.moving, is_resolved)) {
      for (const Mode& mode : out.moving) unresolved = std::max(unresolved, std::abs(mode.eigenvalue) + mode.error);
      return std::nullopt;
    }
    // What errors drive goes through the fast motions, too: only this matrix has what they make of it.
    if (out.kernel.cols() > 0)
      out.rigid_within = std::max(out.rigid_within, rate_within(slow, error, echelon(out.kernel)));
    for (Mode& mode : out.moving) mode.shape = product(V, mode.shape).col(0).eval();
    out.kernel = (V * out.kernel).eval();
    const Pairs fast = pairs_of(parted->fast);
    std::vector<Mode> others =
        moving_modes(A, with_rounding(own, norm), errors, norm, fast.values, product(parted->fast_right, fast.right),
                     product(parted->fast_left, fast.left));
    out.moving.insert(out.moving.end(), std::move_iterator(others.begin()), std::move_iterator(others.end()));
    return out;
  }
  return std::nullopt;
}

/// A: balanced, without noise; own: of each entry.
Found on_all_scales(const MatrixXd& A, const MatrixXd& own, Errors errors) {
  Found out = on_one_scale(A, own, errors);
  if (!has_doubts(A, own, out)) return out;
  double unresolved = 0;
  std::optional<Found> finer = by_scales(A, own, errors, unresolved);
  if (finer) return *std::move(finer);
  if (out.zeros > 0) out.rigid_within = std::max(out.rigid_within, unresolved);  // they are among the zeros here
  return out;
}

}  // namespace

Mode::Trend trend_of(const Mode& mode) {
  const double rate = mode.eigenvalue.real();
  return rate > mode.error ? Mode::Trend::growing : rate < -mode.error ? Mode::Trend::decaying : Mode::Trend::neutral;
}

bool Modes::any(Mode::Trend trend) const {
  return std::any_of(all.begin(), all.end(), [&](const Mode& m) { return m.trend == trend; });
}

Modes find_modes(const MatrixXd& A, const MatrixXd& error, const std::vector<double>& scales, SlowModes slow) {
  Modes out;
  if (A.rows() == 0) return out;
  MatrixXd doubt = error;
  const MatrixXd clean = without_noise(A, doubt);
  const VectorXd d = balance(clean, scales, most_moved);
  const MatrixXd balanced = d.cwiseInverse().asDiagonal() * clean * d.asDiagonal(),
                 own = d.cwiseInverse().asDiagonal() * doubt * d.asDiagonal();
  const bool is_whole = slow == SlowModes::by_whole_matrix;
  Found found = is_whole ? on_one_scale(balanced, own, Errors::of_all) : on_all_scales(balanced, own, Errors::of_all);
  out.has_doubts = is_whole && has_doubts(balanced, own, found);
  out.zero_eigenvalues = static_cast<std::size_t>(found.zeros);
  const Index rigid = found.kernel.cols();
  const MatrixXd kernel = rigid > 0 ? echelon(d.asDiagonal() * found.kernel) : MatrixXd(A.rows(), 0);
  out.rigid_within =
      std::max(found.rigid_within, rate_within(balanced, own, MatrixXd(d.cwiseInverse().asDiagonal() * kernel)));
  for (Index k = 0; k < rigid; ++k) {
    Mode mode;
    mode.kind = Mode::Kind::rigid;
    mode.repeated = found.zeros > 1;
    mode.defective = found.zeros > rigid;
    mode.error = found.zero_error;
    mode.shape = kernel.col(k).cast<std::complex<double>>();
    normalize(mode.shape, scales);
    out.all.push_back(std::move(mode));
  }
  for (Mode& mode : found.moving) {
    mode.shape = d.cast<std::complex<double>>().cwiseProduct(mode.shape).eval();
    normalize(mode.shape, scales);
    out.all.push_back(std::move(mode));
  }
  std::ranges::stable_sort(out.all, {}, [](const Mode& mode) { return std::abs(mode.eigenvalue); });
  mark_repeated(out.all);
  return out;
}

}  // namespace polyform::host::linearization
