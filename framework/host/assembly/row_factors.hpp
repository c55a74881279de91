// Rank of constraint rows, and the least change of rates that meets them.
#pragma once

#include <span>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/sparse_qr.hpp"

namespace polyform::host::inline assembly {

/// Factors that make rows and columns of a Jacobian comparable in any units, lengths and transmission ratios. With them
/// the largest possible entry of each (ConstraintJacobian::Entry::reach) is about 1. Entries that are rounding stay
/// small.
struct RowScales {
  RowScales(const ConstraintJacobian&, std::size_t columns);
  std::vector<double> row, column;
};

/// The rows of a Jacobian J on those columns that are free, scaled. Rank is that of a QR factorization of the transpose
/// with columns taken out that depend on earlier ones.
class RowFactors {
 public:
  /// kept: per column, whether it does not move. The Jacobian is read here only. The scales outlive the object.
  RowFactors(const ConstraintJacobian&, const RowScales&, const std::vector<char>& kept);

  /// A row counts as dependent if its part that is independent of the other rows is below the tolerance.
  void factorize(double tolerance);
  std::size_t rank() const { return qr_.rank(); }
  /// Among the rows that were left out, the one whose independent part is the largest, and the size of that part.
  double left_out_part() const { return left_out_part_; }
  std::size_t nearly_independent() const { return nearly_independent_; }
  /// Numbers of the rows that count as independent.
  const std::vector<std::size_t>& independent() const { return independent_; }
  /// The least change d (in the scaled columns) with J d = left in the independent rows; zero in kept columns.
  void least_change(std::span<const double> left, std::span<double> d) const;
  /// Per column, whether the rows settle it: no motion that they allow moves it. Kept columns are settled.
  std::vector<char> settled() const;

 private:
  void choose_rows(double tolerance);
  void note_left_out(std::size_t row, double part);

  const RowScales& scales_;
  std::vector<ConstraintJacobian::Entry> entries_;  ///< scaled, of free columns, row after row
  std::vector<std::size_t> groups_;                 ///< first rows of joints and elements, and the end
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> row_place_, column_place_;  ///< in the factorized matrix, or none
  std::vector<std::size_t> rows_, columns_;            ///< the converse
  SparseQr qr_;                                        ///< of the transpose
  std::vector<std::size_t> independent_;
  double left_out_part_ = 0;
  std::size_t nearly_independent_ = none;
  std::vector<char> kept_;
};

}  // namespace polyform::host::assembly
