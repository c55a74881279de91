// Newton's matrix of a tree by the recursion that gives its accelerations. Inward, the loads outboard of a hinge are
// condensed to a wrench per displacement of the parent; outward, the displacements follow.
//
//   inward    S = M/γ² + G/γ + K            a body, with what its children pass
//             δF = S ξ + T ξ_p + e,  ξ = X ξ_p + H δ
//             Hᵀ δF + (turning of H) = δτ    gives δ = Y ξ_p + y, and δF in terms of ξ_p alone
//   outward   δ = Y ξ_p + y,  ξ = X ξ_p + H δ
//
// δ: steps in the coordinates; T: forces between the body and its parent. Rates of displacements are taken as ξ/γ,
// which leaves out how fast the directions of the joints turn. That is small compared with 1/γ in steps that resolve
// the motion.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "polyform/solvers/newton/linearized_tree.hpp"
#include "polyform/solvers/newton/modal_elimination.hpp"
#include "polyform/solvers/newton/state_couplings.hpp"

namespace polyform {

/// T: double, or std::complex<double>. Solutions, too, read the tree: after another linearization, factorize() again.
/// Nothing allocates after construction.
template <class T>
class NewtonSweep {
 public:
  /// The arguments outlive the object. states: those of the tree, prepared for the same γ before each factorization.
  NewtonSweep(const LinearizedTree&, const StateCouplings<T>& states);

  /// Factorizes at the tree's linearization. False if the matrix is singular.
  bool factorize(const T& gamma) noexcept;
  /// 1/γ.
  const T& by_gamma() const { return by_gamma_; }

  // A solution (δ, δv) of (I − γ J) (δ, δv) = (r_δ, r_v), per direction of the tree, in three parts.
  /// Begins the loads with those of the right-hand sides.
  void begin(std::span<const T> steps, std::span<const T> rates) noexcept;
  /// Begins without loads, for right-hand sides of zero.
  void begin_at_rest() noexcept;
  /// Finds the displacements under the loads; writes δ into steps.
  void find(std::span<T> steps) noexcept;
  /// Finds δv of a δ from the right-hand sides that begin() was given; δ and δv replace these.
  void finish(std::span<const T> found, std::span<T> steps, std::span<T> rates) noexcept;

  /// Between begin() and find(): load() adds a load. The other two give the right-hand sides for a pattern's
  /// displacement: that of its rate and that of its acceleration.
  void load(const LinearizedTree::Pattern&, const T& factor) noexcept;
  T given_rate(const LinearizedTree::Pattern&, std::span<const T> steps) const noexcept;
  T given_acceleration(const LinearizedTree::Pattern&) const noexcept;
  /// After begin(): moves to the δ that was found. displacement_since() is then γ times the rate of the pattern's
  /// displacement.
  void move(std::span<const T> found) noexcept;
  T displacement_since(const LinearizedTree::Pattern&) const noexcept;
  /// The pattern's displacement, after find().
  T displacement(const LinearizedTree::Pattern&, std::span<const T> found) const noexcept;

 private:
  using Vector = SpatialVector<T>;
  bool eliminate(std::size_t body) noexcept;

  const LinearizedTree& tree_;
  const StateCouplings<T>& states_;
  T by_gamma_{}, by_square_{};  ///< 1/γ, 1/γ²
  std::vector<Six<T>> S_;
  std::vector<Vector> Y_, passed_;  ///< per direction; passed_: its wrench on the parent
  std::vector<T> inverse_;          ///< count² of a joint
  std::span<const LinearizedTree::Body> bodies_;
  ModalElimination<T> modes_;
  std::vector<Vector> e_, xi_, speed_, acceleration_;
  std::vector<T> effort_;
};

extern template class NewtonSweep<double>;
extern template class NewtonSweep<std::complex<double>>;

}  // namespace polyform
