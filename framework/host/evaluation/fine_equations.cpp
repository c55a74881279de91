#include "framework/host/evaluation/fine_equations.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>

#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/double_double.hpp"

namespace polyform {

// A factorization needs these operations on its numbers in addition to those for residuals.
inline bool operator==(const DoubleDouble& a, const DoubleDouble& b) { return a.high == b.high && a.low == b.low; }
inline std::partial_ordering operator<=>(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high == b.high ? a.low <=> b.low : a.high <=> b.high;
}
inline DoubleDouble abs(const DoubleDouble& a) { return a < DoubleDouble(0) ? -a : a; }

}  // namespace polyform

namespace Eigen {

template <>
struct NumTraits<polyform::DoubleDouble> : GenericNumTraits<polyform::DoubleDouble> {
  using Real = polyform::DoubleDouble;
  using NonInteger = polyform::DoubleDouble;
  using Literal = polyform::DoubleDouble;
  using Nested = polyform::DoubleDouble;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 20,
    MulCost = 15
  };
  static Real epsilon() { return 0x1p-104; }
  static Real dummy_precision() { return 1e-28; }
  static Real highest() { return std::numeric_limits<double>::max(); }
  static Real lowest() { return std::numeric_limits<double>::lowest(); }
  static int digits10() { return 31; }
};

}  // namespace Eigen

namespace polyform::host::inline evaluation {
namespace {

using Number = DoubleDouble;
using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
using Matrix = Eigen::SparseMatrix<Number>;

/// Subtracted from the zero block of the scaled matrix. Rows that depend on others do so up to the rounding of a
/// double. So their pivots of 1e-32 must be lost in this number, and their rounding of 1e-16, divided by it, must stay
/// small when it acts back with 1e-16. Rows between heavy bodies that light ones hold have pivots like the ratio of the
/// masses, which refinement finds down to this number.
constexpr double added = 1e-20;
/// A step that is smaller than this, relative to the accelerations, is the last one.
constexpr double last_step = 1e-14;
/// After this many steps, or a last one larger than this, the accelerations are not known.
constexpr std::size_t most_steps = 30;
constexpr double known = 1e-9;

/// Numbers with errors of up to one rounding, or with none.
class Disturbance {
 public:
  explicit Disturbance(std::uint64_t seed) : seed_(seed) {}
  double operator()(double value) {
    if (seed_ == 0) return value;
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    const double part = static_cast<double>(seed_ >> 11) * 0x1p-52 - 1;
    return value * (1 + part * std::numeric_limits<double>::epsilon());
  }

 private:
  std::uint64_t seed_;
};

/// The symmetric matrix [M Aᵀ; A 0] and its right-hand side [f; b], scaled by powers of two so that the largest number
/// of each row is about one.
class FineEquations {
 public:
  FineEquations(const AbsoluteEquations& system, std::uint64_t seed)
      : system_(system),
        unknowns_(system.offset(system.blocks())),
        disturb_(seed),
        scale_(unknowns_ + system.rows(), 1.0) {
    for (std::size_t i = 0; i < system.blocks(); ++i) enter_inertia(i);
    for (std::size_t constraint = 0; constraint < system.constraints(); ++constraint) enter_rows(constraint);
    find_scales();
  }

  std::optional<std::vector<double>> solve() {
    const auto size = static_cast<Eigen::Index>(scale_.size());
    Matrix K(size, size), neighbour(size, size);
    std::vector<Eigen::Triplet<Number>> numbers;
    for (const Entry& e : entries_) numbers.emplace_back(e.row, e.column, scale(e.row) * scale(e.column) * e.value);
    K.setFromTriplets(numbers.begin(), numbers.end());
    for (std::size_t r = unknowns_; r < scale_.size(); ++r)
      numbers.emplace_back(static_cast<int>(r), static_cast<int>(r), -added);
    neighbour.setFromTriplets(numbers.begin(), numbers.end());
    Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> factors;
    factors.compute(neighbour);
    if (factors.info() != Eigen::Success) return {};
    Vector right(size), x = Vector::Constant(size, Number(0)), rest;
    for (std::size_t k = 0; k < unknowns_; ++k) right[index(k)] = scale_[k] * disturb_(system_.loads()[k]);
    for (std::size_t r = 0; r < system_.rows(); ++r)
      right[index(unknowns_ + r)] = scale_[unknowns_ + r] * disturb_(system_.right()[r]);
    rest = right;
    double part = std::numeric_limits<double>::infinity();
    for (std::size_t steps = 0; steps < most_steps && part > last_step; ++steps) {
      const Vector step = factors.solve(rest);
      x += step;
      part = relative(step, x);
      if (!std::isfinite(part)) return {};
      rest = right - K * x;
    }
    if (part > known) return {};
    std::vector<double> result(unknowns_);
    for (std::size_t k = 0; k < unknowns_; ++k) result[k] = value(x, k);
    return result;
  }

 private:
  struct Entry {
    int row, column;
    double value;
  };
  static Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }
  double scale(int k) const { return scale_[static_cast<std::size_t>(k)]; }
  double value(const Vector& x, std::size_t k) const { return scale_[k] * static_cast<double>(x[index(k)]); }

  void enter(std::size_t row, std::size_t column, double value) {
    if (value != 0) entries_.push_back({static_cast<int>(row), static_cast<int>(column), value});
  }
  void enter_pair(std::size_t row, std::size_t column, double value) {
    const double number = disturb_(value);
    enter(row, column, number);
    if (row != column) enter(column, row, number);
  }
  void enter_inertia(std::size_t block) {
    const std::size_t first = system_.offset(block), size = system_.size(block);
    std::vector<double> unit(size), column(size);
    for (std::size_t c = 0; c < size; ++c) {
      unit[c] = 1;
      system_.multiply_inertia(block, unit.data(), column.data());
      unit[c] = 0;
      for (std::size_t r = c; r < size; ++r) enter_pair(first + r, first + c, column[r]);
    }
  }
  void enter_rows(std::size_t constraint) {
    const std::size_t rows = system_.rows(constraint);
    for (std::size_t k = 0; rows > 0 && k < system_.constrained_blocks(constraint); ++k) {
      const AbsoluteEquations::Coefficients c = system_.coefficients(constraint, k);
      const std::size_t own = c.own.size() / rows;
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t row = unknowns_ + system_.first_row(constraint) + r;
        std::size_t column = system_.offset(c.block);
        for (std::size_t e = 0; e < 6 && !c.frame.empty(); ++e) enter_pair(row, column++, c.frame[r][e]);
        for (std::size_t e = 0; e < own; ++e) enter_pair(row, column++, c.own[r * own + e]);
      }
    }
  }

  void find_scales() {
    std::vector<double> largest(scale_.size());
    for (int round = 0; round < 12; ++round) {
      std::fill(largest.begin(), largest.end(), 0.0);
      for (const Entry& e : entries_) {
        double& most = largest[static_cast<std::size_t>(e.row)];
        most = std::max(most, std::abs(scale(e.row) * e.value * scale(e.column)));
      }
      for (std::size_t k = 0; k < scale_.size(); ++k)
        if (largest[k] > 0) scale_[k] /= std::sqrt(largest[k]);
    }
    for (double& s : scale_) s = std::exp2(std::round(std::log2(s)));
  }

  /// The size of a step relative to the accelerations: turning, translation and own variables of a block are each
  /// compared with their own accelerations and a part of the largest.
  double relative(const Vector& step, const Vector& x) const {
    double largest[3] = {}, part = 0;
    const auto each = [&](const auto& visit) {
      for (std::size_t b = 0; b < system_.blocks(); ++b) {
        const std::size_t frame = system_.is_module(b) ? 0 : 6, first = system_.offset(b), end = system_.offset(b + 1);
        if (frame > 0) visit(0, first, first + 3), visit(1, first + 3, first + 6);
        if (first + frame < end) visit(2, first + frame, end);
      }
    };
    const auto size = [&](const Vector& of, std::size_t from, std::size_t to) {
      double most = 0;
      for (std::size_t k = from; k < to; ++k) most = std::max(most, std::abs(value(of, k)));
      return most;
    };
    each([&](int kind, std::size_t from, std::size_t to) {
      largest[kind] = std::max(largest[kind], size(x, from, to));
    });
    each([&](int kind, std::size_t from, std::size_t to) {
      const double moved = size(step, from, to);
      if (moved == 0) return;
      const double ratio = moved / (size(x, from, to) + least_share * largest[kind]);
      if (!(ratio <= part)) part = ratio;
    });
    return part;
  }

  const AbsoluteEquations& system_;
  std::size_t unknowns_;
  Disturbance disturb_;
  std::vector<Entry> entries_;
  std::vector<double> scale_;
};

}  // namespace

std::optional<std::vector<double>> solve_finely(const AbsoluteEquations& system) {
  return FineEquations(system, 0).solve();
}

std::optional<std::vector<double>> solve_disturbed(const AbsoluteEquations& system, std::uint64_t seed) {
  return FineEquations(system, seed).solve();
}

}  // namespace polyform::host::evaluation
