// The compliance matrix G of closed loops and its elimination, one loop after the other, while it is being formed.
//
// G is sparse (a block for each pair of loops that share a hinge) and positive semidefinite. A loop is eliminated as
// soon as its rows are complete. The rows of a loop that closes further out are complete earlier:
//
//   G_ii = L D Lᵀ,   X_j = L⁻¹ G_ij,   c = L⁻¹ g_i,   then   G_jk −= X_jᵀ D⁺ X_k,   g_j −= X_jᵀ D⁺ c
//
// Rows are eliminated within a block in the order of their largest pivots, relative to the rows they come from. The
// rounding in a pivot is carried along and grows with the elimination. A pivot that stands no higher than it says that
// the row depends on others; D⁺ is zero there and the row is left out, which in a semidefinite matrix leaves the others
// as they are. Dependence is a matter of exact positions: off the constraints a dependent row has a small pivot of its
// own. So the caller may say which rows to leave out: those that were found where the constraints held.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace polyform {

class MultiplierMatrix {
 public:
  static constexpr std::size_t most_rows = 6;  ///< of a block

  /// Symbolic phase, the only one that allocates. sizes: rows of each block, at most most_rows; stages: a block is
  /// eliminated after all of a smaller stage, and among its own stage in the order of minimum degree; pairs: blocks (i,
  /// j) that may be nonzero; later: blocks (i, j) of which i waits for j.
  void analyze(std::span<const std::size_t> sizes, std::span<const std::size_t> stages,
               std::span<const std::pair<std::size_t, std::size_t>> pairs,
               std::span<const std::pair<std::size_t, std::size_t>> later = {});
  /// From this block on they have negative pivots (eliminate_negative); after analyze().
  void set_first_negative(std::size_t block) { first_negative_ = block; }
  /// Blocks in the order of elimination, and the place of each in it.
  std::span<const std::size_t> order() const { return order_; }
  std::size_t position(std::size_t block) const { return position_[block]; }

  /// Where the block (i, j) stands in values(), rows of i by columns of j, rows first; i is eliminated before j, or i =
  /// j, of which only the lower triangle is used.
  std::size_t place(std::size_t i, std::size_t j) const noexcept;
  double* values() { return values_.data(); }
  std::size_t count() const { return values_.size(); }                     ///< of values()
  double* right(std::size_t i) { return right_.data() + rows_[i].first; }  ///< g_i, then c

  void clear() noexcept;
  /// Adds to the numbers by which the pivots of block i are judged, per row: the diagonal itself, and the size of the
  /// terms from which it was formed, squared. usual: what would be added in a position where nothing is aligned; the
  /// largest counts.
  void weigh(std::size_t i, std::size_t row, double diagonal, double terms, double usual) noexcept {
    weights_[rows_[i].first + row] += diagonal;
    terms_[rows_[i].first + row] += terms;
    usual_[rows_[i].first + row] = std::max(usual_[rows_[i].first + row], usual);
  }
  /// left_out: rows that are known to depend on others, a bit each; rows that are found to do so are added.
  /// independent: if it is known which rows to eliminate, only these are, however small their pivots.
  void eliminate(std::size_t i, unsigned& left_out, const unsigned* independent = nullptr) noexcept;
  /// The same of a block whose pivots are negative (postponed_hinges.hpp), and none of whose rows may be left out.
  /// False where one has a pivot that is nothing beside its weight, or rounding of its terms.
  bool eliminate_negative(std::size_t i) noexcept;
  /// The part of eliminate() for the right-hand side: for another one, once all blocks are eliminated.
  void eliminate_right(std::size_t i) noexcept;
  /// After elimination: λ_i = L⁻ᵀ (D⁺ (c + y − Σ X_j λ_j)) with λ of the later blocks; y = L⁻¹ of a further right-hand
  /// side, rows in the order of elimination.
  void solve(std::size_t i, const double* y, double* lambda) const noexcept;

  /// The smallest pivot since clear, relative to its usual size: how far the rows that were not left out are from
  /// depending on each other or on nothing, squared.
  double smallest_pivot() const { return smallest_pivot_; }

  // An eliminated block, with its rows in the order of their elimination:
  /// Which row of the block stands at each place.
  const std::size_t* rows_of(std::size_t i) const { return row_at_.data() + rows_[i].first; }
  /// L below the diagonal, rows first.
  const double* lower(std::size_t i) const { return values_.data() + rows_[i].diagonal; }
  /// D⁺.
  const double* inverse(std::size_t i) const { return inverse_.data() + rows_[i].first; }
  /// The rows that were eliminated, a bit each.
  unsigned eliminated(std::size_t i) const noexcept;
  struct Neighbour {
    std::size_t block, size, place;  ///< X_j stands at place
  };
  /// The later blocks that it was coupled with, in the order of elimination.
  std::span<const Neighbour> neighbours(std::size_t i) const {
    return std::span(neighbours_).subspan(rows_[i].neighbour, rows_[i].neighbours);
  }

 private:
  struct Row {
    std::size_t size = 0, first = 0, diagonal = 0;
    std::size_t neighbour = 0, neighbours = 0;
    std::size_t update = 0;  ///< first of the targets of pairs of neighbours, in updates_
  };
  void factorize(const Row&, unsigned& left_out, const unsigned* independent) noexcept;
  bool factorize_negative(const Row&) noexcept;
  void eliminate_factorized(std::size_t i) noexcept;
  std::size_t largest_pivot(const Row&, std::size_t from, unsigned left_out) const noexcept;
  std::size_t largest_of(const Row&, std::size_t from, unsigned rows) const noexcept;
  void exchange(const Row&, std::size_t a, std::size_t b) noexcept;

  std::vector<Row> rows_;
  std::size_t first_negative_ = static_cast<std::size_t>(-1);
  std::vector<std::size_t> order_, position_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::size_t> updates_;
  std::vector<double> values_, right_, inverse_;
  std::vector<double> weights_;        ///< diagonals before any elimination
  std::vector<double> terms_, noise_;  ///< squared terms of the diagonals; rounding in the pivots. Of rows with
                                       ///< negative pivots the sizes of all terms
  std::vector<double> usual_;
  std::vector<std::size_t> row_at_;
  double smallest_pivot_ = 1;
};

}  // namespace polyform
