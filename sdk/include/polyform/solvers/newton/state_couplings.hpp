// First-order states of forces in Newton's matrix: they are eliminated, and what they do is added to the loads by
// displacements.
//
// With δż and the loads as in linearized_states.hpp, and rates of displacements ẇ = w/γ + ẇ_r of the right-hand sides,
//
//   S = (I − γ Z)⁻¹     δz = S (r_z + γ B ẇ_r) + S (γ A + B) w     loads = E w + …,  E = C S (γ A + B)
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "polyform/solvers/newton/linearized_tree.hpp"

namespace polyform {

template <class T>
class NewtonSweep;

/// T: double, or std::complex<double>. Nothing allocates after construction.
template <class T>
class StateCouplings {
 public:
  /// The tree outlives the object.
  explicit StateCouplings(const LinearizedTree&);

  bool empty() const { return tree_.states().elements().empty(); }
  /// At the tree's linearization. False if a matrix of states is singular.
  bool prepare(const T& gamma) noexcept;

  // What belongs into the blocks of the sweep, in their sign; only if not empty().
  const Six<T>& frame(std::size_t i) const { return frames_[i]; }
  const Six<T>& inner(std::size_t coupling) const { return inner_[coupling]; }
  const Six<T>& outer(std::size_t coupling) const { return outer_[coupling]; }
  const T* joint(std::size_t square) const { return joints_.data() + square; }
  /// The part of E across the tree, count², rows first.
  const T* across(std::size_t element) const { return loads_.data() + tree_.states().element(element).loads; }

  /// After NewtonSweep::begin(): adds the loads of the right-hand sides. x: r_z, of all first-order states.
  void begin(NewtonSweep<T>&, std::span<const T> steps, std::span<const T> x) noexcept;
  /// Writes δz into x. The sweep has moved to the displacements that were found.
  void finish(const NewtonSweep<T>&, std::span<const T> found, std::span<T> x) noexcept;

 private:
  using Element = LinearizedStates::Element;
  void condense(const Element&) noexcept;
  void place(const Element&) noexcept;
  void apply_inverse(const Element&, const T* right, T* out) const noexcept;

  const LinearizedTree& tree_;
  T gamma_{};
  std::vector<T> inverses_;  ///< per element, group after group, rows first
  std::vector<T> loads_;     ///< E per element
  std::vector<Six<T>> frames_, inner_, outer_;
  std::vector<T> joints_;
  std::vector<T> free_, right_;  ///< per state: δz without displacements; room
  std::vector<T> moved_;         ///< room: per displacement
  std::vector<std::size_t> pivots_;
};

extern template class StateCouplings<double>;
extern template class StateCouplings<std::complex<double>>;

}  // namespace polyform
