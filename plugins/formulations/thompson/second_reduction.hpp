// The second null-space reduction: closed loops and constraint elements on the velocities q̇2 of the tree.
//
// What the tree leaves open are rows J q̇2 = right, J = Φ_q H2 with Φ_q of the cut joints and constraint elements. They
// are reduced like Eq 9, J [K1 Z] = [1 0], by an elimination with complete pivoting, one group of rows (a cut joint, an
// element) after the other:
//
//   E J = U        per pivot a row of U: 1 in its dependent coordinate, the rest in coordinates not yet dependent
//
// The coordinates without a pivot are independent: Z is 1 there, and its dependent rows follow by substitution in U.
// Nothing of Z is formed. Rows without a pivot depend on others and are left out; their multipliers are zero.
// Dependence is a matter of exact positions: off the constraints a dependent row has a small pivot of its own. So the
// caller may say which rows to leave out: those that were found where the constraints held.
//
// A group touches the joints on the paths of its loop, and the elimination meets only groups that share joints with it,
// directly or through others: for local loops the cost is linear in them. Storage is set aside for the worst that the
// pivots may do, the square of the joints of connected loops; memory that is not written costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polyform::thompson {

class SecondReduction {
 public:
  struct Group {
    std::size_t rows = 0;
    std::vector<std::size_t> columns;  ///< coordinates of q̇2 that its rows may touch
  };

  /// coordinates: P, of q̇2. The only call that allocates.
  void analyze(std::size_t coordinates, std::vector<Group> groups);
  bool empty() const { return groups_.empty(); }
  std::size_t rows() const { return rows_; }
  std::size_t first_row(std::size_t group) const { return groups_[group].first_row; }

  /// A row of J over the columns of its group, to be written before eliminate(). scale: size of the terms that the
  /// largest element is made of, each for one unit of its coordinate; zero for a row that asks nothing.
  double* row(std::size_t group, std::size_t r) {
    return values_.data() + groups_[group].first_value + r * groups_[group].columns.size();
  }
  const double* row(std::size_t group, std::size_t r) const {
    return values_.data() + groups_[group].first_value + r * groups_[group].columns.size();
  }
  std::size_t groups() const { return groups_.size(); }
  std::size_t rows_of(std::size_t group) const { return groups_[group].rows; }
  std::span<const std::size_t> columns(std::size_t group) const { return groups_[group].columns; }
  void set_scale(std::size_t group, std::size_t r, double scale) { scales_[groups_[group].first_row + r] = scale; }
  double scale(std::size_t row) const { return scales_[row]; }
  /// The amount of a coordinate by which it compares with others: 1 rad, or a length, m.
  void set_unit(std::size_t coordinate, double unit) { units_[coordinate] = unit; }
  double unit(std::size_t coordinate) const { return units_[coordinate]; }
  /// Rows of a group that depend on others, a bit each: as told, and those that eliminate() has found.
  std::uint64_t left_out(std::size_t group) const { return groups_[group].left_out; }
  void leave_out(std::size_t group, std::uint64_t rows) { groups_[group].left_out = rows; }
  static constexpr std::size_t most_rows = 64;  ///< of a group: a bit each

  /// Makes E and U. anew: find the dependent rows, at a state that satisfies the constraints.
  void eliminate(bool anew) noexcept;
  /// Coordinates that stay independent: of q̇3, the velocities that are left.
  std::span<const std::size_t> independent() const { return independent_; }
  /// The smallest pivot relative to the terms of its row: how far the rows are from depending on each other.
  double smallest_pivot() const { return smallest_pivot_; }

  /// Into x a solution of J x = right, whose independent coordinates are zero. right: all rows.
  void particular(const double* right, double* x) noexcept;
  /// x = Z x3: fills the dependent coordinates of x from the independent ones.
  void extend(double* x) const noexcept { substitute(nullptr, x); }
  /// Zᵀ y, in the independent coordinates of y; the others are used up.
  void fold(double* y) const noexcept;
  /// λ with Jᵀ λ = y for all rows, zero if they are left out; y is used up.
  void multipliers(double* y, double* lambda) noexcept;

 private:
  struct Rows {
    std::size_t first_row, rows, first_value;
    std::vector<std::size_t> columns;
    std::vector<std::size_t> met;  ///< earlier groups that share joints with it, directly or through others
    std::size_t first_pivot = 0, pivots = 0;
    std::uint64_t left_out = 0;
  };
  struct Pivot {
    std::size_t row, column;
    std::size_t first, count;       ///< its row of U without the 1, in u_
    std::size_t first_step, steps;  ///< of what was subtracted, in steps_
    double inverse;                 ///< of the pivot before its row was scaled
  };
  struct Element {
    std::size_t column;
    double value;
  };
  struct Step {
    std::size_t pivot;
    double factor;
  };

  void scatter(const Rows&) noexcept;
  void subtract(std::size_t pivot, std::size_t rows, std::uint64_t done) noexcept;
  bool find_pivot(const Rows&, std::uint64_t done, std::size_t& row, std::size_t& column,
                  double& relative) const noexcept;
  void keep(const Rows&, std::size_t row, std::size_t column) noexcept;
  void touch(std::size_t column) noexcept;
  void substitute(const double* right, double* x) const noexcept;

  std::size_t coordinates_ = 0, rows_ = 0;
  std::vector<Rows> groups_;
  std::vector<double> values_, scales_, units_, reduced_right_;
  std::vector<Pivot> pivots_;
  std::vector<Element> u_;
  std::vector<Step> steps_;
  std::vector<std::size_t> independent_;
  std::vector<unsigned char> dependent_;  ///< per coordinate: it has a pivot
  double smallest_pivot_ = 1;
  /// The group that is eliminated.
  struct Work {
    std::vector<double> rows;               ///< dense, coordinate after coordinate
    std::vector<std::size_t> touched;       ///< columns that are not zero
    std::vector<unsigned char> is_touched;  ///< per column
    std::vector<std::vector<Step>> steps;   ///< per row
  } work_;
};

}  // namespace polyform::thompson
