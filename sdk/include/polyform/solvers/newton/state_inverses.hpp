// First-order states of forces in Newton's matrix: the states of each instance are solved by themselves.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/force_derivatives.hpp"
#include "polyform/solvers/newton/small_inverse.hpp"

namespace polyform {

/// (I − γ ∂ẋ/∂x)⁻¹ per instance. T: double, or std::complex<double>.
template <class T>
class StateInverses {
 public:
  static constexpr std::size_t most_states = 16;  ///< of one instance whose states are solved together

  /// The derivatives outlive the object.
  explicit StateInverses(const ForceDerivatives& derivatives) : derivatives_(derivatives) {
    std::size_t next = 0;
    for (const ForceDerivatives::Instance& i : derivatives.instances()) {
      first_.push_back(next);
      next += i.states * i.states;
    }
    numbers_.resize(next);
  }
  /// False if a matrix is singular.
  bool prepare(const T& gamma) noexcept {
    for (std::size_t number = 0; number < first_.size(); ++number) {
      const ForceDerivatives::Instance& i = derivatives_.instances()[number];
      T* const out = numbers_.data() + first_[number];
      const std::size_t n = i.states;
      const double* matrix = derivatives_.matrix(i) + (i.outputs() - n) * i.inputs() + i.inputs() - n;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) out[r * n + c] = T(r == c) - gamma * matrix[r * i.inputs() + c];
      std::size_t pivots[most_states];
      if (n > 0 && (n > most_states || !invert(out, n, pivots))) return false;
    }
    return true;
  }
  /// Solves in place; read and write: of the first-order state k of the system.
  template <class Read, class Write>
  void solve(const Read& read, const Write& write) const noexcept {
    for (std::size_t number = 0; number < first_.size(); ++number) {
      const ForceDerivatives::Instance& i = derivatives_.instances()[number];
      const T* const inverse = numbers_.data() + first_[number];
      T out[most_states];
      for (std::size_t r = 0; r < i.states; ++r) {
        out[r] = T{};
        for (std::size_t c = 0; c < i.states; ++c) out[r] += inverse[r * i.states + c] * read(i.state_offset + c);
      }
      for (std::size_t r = 0; r < i.states; ++r) write(i.state_offset + r, out[r]);
    }
  }

 private:
  const ForceDerivatives& derivatives_;
  std::vector<std::size_t> first_;
  std::vector<T> numbers_;
};

}  // namespace polyform
