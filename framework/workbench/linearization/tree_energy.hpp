// The second derivatives of the energies of a tree at rest, and whether sums of them are positive definite, at a cost
// linear in its bodies.
//
// At rest small motions obey M δ̈ + G δ̇ + K δ = 0 in steps δ of the velocity coordinates. Elimination of one joint after
// the other, from the tips inward, leaves a block for each joint; by Sylvester's law of inertia the matrix is positive
// definite if and only if all blocks are. The blocks of bodies and couplings are those of Newton's matrix
// (linearized_tree.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "framework/workbench/linearization/canonical_state.hpp"
#include "polyform/solvers/newton/linearized_tree.hpp"

namespace polyform::host::inline linearization {

/// Phases of irregular numbers.
inline constexpr double phases[] = {1, 1.7320508, 2.2360680, 2.6457513, 3.3166248, 3.6055513};
/// Number k of a sequence between -1 and 1 without order, in which no two have the same size.
inline double irregular(double phase, std::size_t k) { return std::cos(phase * static_cast<double>(k * k + 1)); }

/// A sum of the three matrices of a tree.
struct MatrixSum {
  double of_K = 0, of_G = 0, of_M = 0;
};

/// A tree of rigid bodies at rest in which forces act within joints, between neighbours and from the ground.
class TreeEnergy {
 public:
  /// The view outlives the object.
  explicit TreeEnergy(const SystemView&);

  /// Whether the tree is one of those: no loops, constraints, modules, flexible bodies, first-order states, joints that
  /// the clock drives and forces between bodies that are no neighbours.
  static bool covers(const SystemView&);
  /// Takes the derivatives at a state, whose velocities are zero. False where they are not all numbers, or where a
  /// force acts from afar.
  bool linearize(double t, const CanonicalState&);

  /// Whether the sum, with the symmetric part of G, is positive definite after `part` of the sizes of the diagonals of
  /// K and G has been taken from its diagonal. M has rounding alone.
  bool is_positive(const MatrixSum&, double part);
  /// |xᵀ (A − Aᵀ) y| of K and of G at vectors x and y of irregular numbers, in units in which the diagonal is 1; per
  /// root of the number of coordinates.
  double asymmetry_of_K() const { return asymmetry(K_, true, diagonal_K_); }
  double asymmetry_of_G() const { return asymmetry(G_, false, diagonal_G_); }
  bool has_no_damping() const;
  /// The largest of |K| and of G against M on their diagonals, square roots of K: rates, 1/s.
  double fastest() const;
  double most_damping() const;

 private:
  /// The blocks of one of the three matrices.
  struct Blocks {
    std::vector<Six<double>> frames, inner, outer;  ///< the latter two per coupling
    std::vector<double> joints;                     ///< count² numbers for each
  };
  using Body = LinearizedTree::Body;

  std::vector<double> diagonal(const Blocks&, bool turns) const;
  double asymmetry(const Blocks&, bool turns, std::span<const double> diagonal) const;
  std::vector<double> product(const Blocks&, bool turns, std::span<const double> steps) const;
  void add(const Blocks&, double factor);
  bool eliminate(const Body&, std::size_t body, const MatrixSum&, double part);

  const SystemView& view_;
  LinearizedTree tree_;
  Blocks K_, G_, symmetric_G_, M_;
  std::vector<double> diagonal_K_, diagonal_G_, diagonal_M_;
  Blocks sum_;  ///< as far as it is eliminated
};

}  // namespace polyform::host::linearization
