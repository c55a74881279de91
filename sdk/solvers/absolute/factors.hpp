// The factors of a quasi-definite neighbour of the saddle-point matrix.
#pragma once

#include <span>
#include <vector>

#include "../block_ldlt.hpp"
#include "polyform/solvers/absolute/scales.hpp"

namespace polyform::absolute {

/// Relative size of what is subtracted from the zero block. The error shrinks by about this factor per round, less in
/// nearly dependent rows; a smaller one would leave the pivots of redundant rows to round-off.
inline constexpr double least_epsilon = 1e-10;

/// Subtracted from the zero block of loops that are nearly closed (Neighbour). At the distance x from a singular
/// position (relative to a loop's size), a row with the rounding η tells the place of the loop across it to η/x, and
/// its speed to η/x². Below x = 2e-5, the root of this number, the integrated state is more exact.
inline constexpr double projection_epsilon = 3e-10;

/// Which quasi-definite neighbour of the matrix is factorized.
struct Neighbour {
  double loop_epsilon = least_epsilon;  ///< for cut joints and constraint elements
  double gyration = 0;                  ///< radius of gyration added to all bodies, m
};

/// Where the saddle-point matrix has numbers: one block per block of unknowns, then one per constraint with rows, and a
/// pair for each entry that has coefficients.
struct MatrixPattern {
  MatrixPattern(const Blocks&, const Constraints&);

  std::vector<std::size_t> sizes;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  ///< of rows, of unknowns
};

/// Where the entries of the constraints stand in a matrix of this pattern; without place where they have no
/// coefficients.
template <class T>
std::vector<typename BasicBlockLdlt<T>::Block> places_of_entries(BasicBlockLdlt<T>& matrix, const Model& model) {
  std::vector<typename BasicBlockLdlt<T>::Block> places(model.constraints.entries().size());
  std::size_t block = model.blocks.count();
  for (const Constraints::Constraint& constraint : model.constraints.all()) {
    if (constraint.rows == 0) continue;
    for (std::size_t e = constraint.entry; e < constraint.entry + constraint.entries; ++e)
      if (!model.constraints.entry(e).is_empty()) places[e] = matrix.block(block, model.constraints.entry(e).block);
    ++block;
  }
  return places;
}

/// [M + δ, Aᵀ; A, −ε] = L D Lᵀ, with δ and ε in the units of each block.
class Factors {
 public:
  /// Both arguments outlive the object.
  Factors(const Model&, const Scales&);

  /// Whether the factors are those of the rows, or nearly.
  bool made() const { return made_; }
  /// After the rows have changed.
  void forget() noexcept { made_ = false; }
  /// False when a pivot is zero or not finite: failed_block() tells where.
  bool factorize(const Neighbour&) noexcept;
  std::size_t failed_block() const { return matrix_.failed_block(); }  ///< as in MatrixPattern
  /// Solves in place.
  void solve(std::span<double> b) const noexcept { matrix_.solve(b); }

 private:
  void enter_inertia(std::size_t block, const Neighbour&) noexcept;
  void enter_flexible(std::size_t body, double added_inertia, double added_mass) noexcept;
  void enter_massless(std::size_t body) noexcept;
  void enter_module(std::size_t block) noexcept;
  double enter_row(std::size_t entry, std::size_t row, double compliance) noexcept;

  const Model& model_;
  const Scales& scales_;
  BlockLdlt matrix_;
  std::vector<BlockLdlt::Block> diagonals_;  ///< of blocks, then of constraints with rows
  std::vector<BlockLdlt::Block> places_;     ///< of the entries
  bool made_ = false;
};

}  // namespace polyform::absolute
