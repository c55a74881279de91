// The parts of Newton's matrix that a sweep over the tree cannot carry, as a border: closed loops by their multipliers,
// and forces between bodies that are no neighbours by the few combinations of displacements that they depend on.
//
//   P x − U μ = loads     P: the tree, solved by the sweep
//   Vᵀ x − D μ = g        loops: V = U, D = 0; forces with loads E Pᵀx = L (R Pᵀ x): U = P L, V = P Rᵀ, D = 1
//
// E: with what first-order states of the force do (state_couplings.hpp).
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "polyform/solvers/newton/newton_sweep.hpp"

namespace polyform {

/// Nothing allocates after construction.
template <class T>
class NewtonBorder {
 public:
  /// The arguments outlive the object.
  NewtonBorder(const LinearizedTree&, NewtonSweep<T>&, StateCouplings<T>&);

  /// The largest border that is worth its cost: a matrix of its square is factorized for each step size.
  static constexpr std::size_t largest = 400;
  /// The largest size that the border may have for a system of this tree. Beyond `largest` nothing is made, and the
  /// object must not be used.
  static std::size_t most(const LinearizedTree&) noexcept;
  /// After NewtonSweep::factorize. False if the border is singular by more than dependent rows of loops.
  bool factorize() noexcept;
  /// Does the work of NewtonSweep's three parts together, and solves the first-order states x.
  void solve(std::span<T> steps, std::span<T> rates, std::span<T> x) noexcept;

 private:
  void split(const LinearizedTree::Far&) noexcept;
  T displacement(std::size_t row, std::span<const T> found) const noexcept;
  void respond(std::size_t k) noexcept;
  void eliminate() noexcept;

  const LinearizedTree& tree_;
  NewtonSweep<T>& sweep_;
  StateCouplings<T>& states_;
  /// A force's combinations: first among the unknowns, their number; L and R in numbers_ from at, most × count each.
  struct Split {
    std::size_t far, first, count, most, at;
  };
  std::size_t rows_ = 0, size_ = 0;  ///< of loops; of all unknowns
  std::vector<Split> splits_;
  std::vector<T> numbers_, work_;
  std::vector<T> responses_;  ///< δ per unknown
  std::vector<T> matrix_, right_, unknowns_, found_;
  std::vector<std::size_t> row_order_, column_order_;
  std::size_t rank_ = 0;
};

extern template class NewtonBorder<double>;
extern template class NewtonBorder<std::complex<double>>;

}  // namespace polyform
