// QR factorization of a sparse matrix without the columns that depend on earlier ones.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace polyform::host::inline assembly {

/// A P = Q R for the columns that are independent. Columns are eliminated one after the other in an order that keeps
/// the factors sparse. The rows that begin with a column make a small dense front, which a Householder reflection
/// reduces to one row of R and rows that begin further on (George and Heath 1980). If a column is then shorter than the
/// tolerance, it depends on the others and is left out, at no further cost. The work is linear in the columns if loops
/// are local.
class SparseQr {
 public:
  struct Entry {
    std::size_t row, column;
    double value;
  };
  void compute(std::size_t rows, std::size_t columns, std::span<const Entry> entries, double tolerance);

  std::size_t rank() const { return pivots_.size(); }
  /// Among the columns that were left out: the largest part that is independent of the others, and the column that has
  /// it.
  double left_out_part() const { return left_out_part_; }
  std::size_t nearly_independent() const { return nearly_independent_; }
  /// The smallest pivot, relative to the largest; 1 if there is none.
  double least_pivot() const;
  /// The independent columns, in the order of their elimination.
  std::size_t column(std::size_t k) const { return pivots_[k].column; }
  /// The shortest y with Aᵀ y = b in the independent columns; b: one value for each of them, k after k.
  void shortest(std::span<const double> b, std::span<double> y) const;
  /// Subtracts from y its part in the span of the independent columns.
  void take_out(std::span<double> y) const;

 private:
  using Row = std::vector<std::pair<std::size_t, double>>;  ///< places of columns, ascending; values
  struct Pivot {
    std::size_t column, slot;
    Row row;
  };
  struct Reflection {
    std::size_t first, count;  ///< in slots_ and vector_
  };

  void order(std::size_t rows, std::size_t columns, std::span<const Entry> entries);
  std::vector<std::size_t> columns_of(std::span<const std::size_t> slots);
  void eliminate(std::size_t place, double tolerance);
  void apply(const Reflection&, std::span<double> y) const;

  double left_out_part_ = 0;
  std::size_t nearly_independent_ = 0;
  std::vector<std::size_t> order_, place_;        ///< column of each place, and the converse
  std::vector<Row> rows_;                         ///< what is left of each row
  std::vector<std::vector<std::size_t>> begins_;  ///< per place the rows that begin there
  std::vector<std::size_t> in_front_;             ///< per place its column in the present front, or none
  std::vector<std::size_t> pivot_at_;             ///< per place its pivot
  std::vector<Pivot> pivots_;
  std::vector<Reflection> reflections_;
  std::vector<std::size_t> slots_;  ///< rows that a reflection mixes, the pivot's first
  std::vector<double> vector_;      ///< of unit length √2
};

}  // namespace polyform::host::assembly
