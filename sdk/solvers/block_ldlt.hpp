// L D Lᵀ factorization of a sparse symmetric matrix of small dense blocks of any sizes.
//
// Meant for quasi-definite matrices ([H Aᵀ; A −G] with H and G positive definite), which can be factorized in any order
// without pivoting. A block may be nearly singular by itself and become regular when a neighbour is eliminated (the
// zero block of a constraint, a body without mass). Such a block may be told to wait for that, which keeps the pivots
// large. Otherwise the order is of minimum degree: no fill for chains and trees.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace polyform {

/// When a block may be eliminated: at any time; at once if it is a leaf, otherwise after a neighbour; after a
/// neighbour; after all blocks that are not of the last ones.
enum class EliminationTurn : unsigned char { any, leaf_or_after_neighbour, after_neighbour, last };

/// T: double, or DoubleDouble for matrices whose pivots lose all digits of a double.
template <class T>
class BasicBlockLdlt {
 public:
  /// A view of a block of the lower or upper triangle: element (r, c) is data[r * row_stride + c * column_stride].
  struct Block {
    T* data = nullptr;
    std::size_t row_stride = 0, column_stride = 0;

    T& operator()(std::size_t r, std::size_t c) const { return data[r * row_stride + c * column_stride]; }
  };

  using Turn = EliminationTurn;

  /// Symbolic phase, the only one that allocates. sizes: rows of each block, not zero; pairs: blocks (i, j), i ≠ j,
  /// that may be nonzero (repetition is allowed); turns: one per block, or empty.
  void analyze(std::span<const std::size_t> sizes, std::span<const std::pair<std::size_t, std::size_t>> pairs,
               const std::vector<Turn>& turns = {});

  std::size_t size() const { return size_; }                               ///< rows of the whole matrix
  std::size_t offset(std::size_t block) const { return offsets_[block]; }  ///< its first row in the matrix
  /// Numbers stored for the factors, a measure of the fill.
  std::size_t stored() const { return values_.size(); }

  /// Sets the whole matrix to zero. Then fill it in through diagonal (lower triangle) and block, and factorize.
  void clear() noexcept;
  Block diagonal(std::size_t i) noexcept;
  /// Block (i, j), rows of i and columns of j; i ≠ j, one of the pairs given to analyze.
  Block block(std::size_t i, std::size_t j) noexcept;
  /// Numeric phase, in place. False if a pivot is zero or not finite: failed_block() tells in which block.
  bool factorize() noexcept;
  std::size_t failed_block() const { return failed_; }
  /// Solves in place; b has size() entries, block i from offset(i).
  void solve(std::span<T> b) const noexcept;

 private:
  /// A block column of L in the order of elimination: the diagonal block (unit lower triangle and D on the diagonal),
  /// then the blocks below it, all with `size` columns.
  struct Column {
    std::size_t block, size;
    std::size_t diagonal;      ///< in values_
    std::size_t panel, rows;   ///< in values_; rows of all blocks below
    std::size_t below, count;  ///< blocks below: first in below_, number
    std::size_t update;        ///< first target in updates_
  };
  struct Below {
    std::size_t block, size, row;  ///< row: first within the panel
  };

  std::vector<std::vector<std::size_t>> order(std::span<const std::pair<std::size_t, std::size_t>> pairs,
                                              const std::vector<Turn>& turns);
  void lay_out(const std::vector<std::vector<std::size_t>>& structure);
  std::size_t place(std::size_t row_block, const Column&) const noexcept;
  template <std::size_t N>
  bool eliminate(const Column&) noexcept;
  template <std::size_t N>
  void forward(const Column&, T* b) const noexcept;
  template <std::size_t N>
  void backward(const Column&, T* b) const noexcept;

  std::size_t size_ = 0, failed_ = 0;
  std::vector<std::size_t> sizes_, offsets_;
  std::vector<std::size_t> column_of_;  ///< position of each block in the order of elimination
  std::vector<Column> columns_;
  std::vector<Below> below_;
  std::vector<std::size_t> updates_;  ///< per column and pair (a ≥ b) of blocks below: the target in values_
  std::vector<T> values_, scratch_;
};

using BlockLdlt = BasicBlockLdlt<double>;
extern template class BasicBlockLdlt<double>;

}  // namespace polyform
