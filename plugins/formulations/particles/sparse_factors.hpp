// Factors of the sparse system, from tips to roots.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sparse_values.hpp"

namespace polyform::particles {

/// [M + Cᵀ D C, Cᵀ; C, −E]: the penalty D, of the size of the body's mass, changes nothing in the solution but makes
/// the mass of a body positive where it has none against its constraints. Rows of loops have no penalty and a small
/// negative diagonal −E instead of zero.
class SparseFactors {
 public:
  /// matrix: analyzed for the pattern. All outlive the object.
  SparseFactors(const Layout&, const SparsePattern&, const MassScales&, BlockLdlt& matrix);

  /// epsilon: of E, relative to the rows. False if a block has no inverse: failed_block().
  bool factorize(const SparseValues&, double epsilon) noexcept;
  std::size_t failed_block() const { return matrix_.failed_block(); }
  /// Whether the factors are to be used for the next solutions, too.
  bool stand() const { return stand_; }
  void keep(bool standing) { stand_ = standing; }
  /// step: a right-hand side, to which what goes with the penalties is added (f + Cᵀ D γ), then the solution.
  void solve(const SparseValues&, std::span<double> step) noexcept;

 private:
  struct Place {
    BlockLdlt::Block block;
    bool lower;  ///< on the diagonal: lower triangle only
  };
  BlockLdlt::Block place_of(const Chunk& row, const Chunk& column) const;
  static void add_block(const Place&, const Mat3&) noexcept;
  void find_added(const SparseValues&) noexcept;
  double square_of(const SparseValues&, const RowSide&, std::size_t row) const noexcept;
  double inertia_of_row(const SparseValues&, const RowGroup&, std::size_t row) const noexcept;

  const SparsePattern& pattern_;
  const MassScales& scales_;
  BlockLdlt& matrix_;
  bool stand_ = false;
  std::vector<double> added_;                 ///< per body: MassScales::Body::added, less where a module gives less
  std::vector<double> penalty_;               ///< D, over the unknowns
  std::vector<std::array<Place, 6>> masses_;  ///< per body
  std::vector<Place> variables_;              ///< as SparseValues::of_variables; empty above the diagonal
  std::vector<BlockLdlt::Block> diagonals_;   ///< per group of rows
  std::vector<BlockLdlt::Block> entries_;     ///< per entry
  std::vector<std::size_t> first_pair_;       ///< per group, in pairs_
  std::vector<Place> pairs_;                  ///< of the entries of each group, two and two
};

}  // namespace polyform::particles
