#include "polyform/solvers/newton/state_couplings.hpp"

#include <algorithm>

#include "polyform/solvers/newton/newton_sweep.hpp"
#include "polyform/solvers/newton/small_inverse.hpp"

namespace polyform {

template <class T>
StateCouplings<T>::StateCouplings(const LinearizedTree& tree) : tree_(tree) {
  const LinearizedStates& states = tree.states();
  if (empty()) return;
  std::size_t squares = 0, couplings = 0, most = 0;
  for (const LinearizedTree::Body& b : tree.bodies()) {
    squares += b.count * b.count;
    if (b.coupling != LinearizedTree::none) couplings = std::max<std::size_t>(couplings, b.coupling + 1);
  }
  for (const Element& e : states.elements()) most = std::max(most, e.count);
  inverses_.resize(states.inverses());
  loads_.resize(states.loads());
  frames_.resize(tree.frames());
  inner_.resize(couplings);
  outer_.resize(couplings);
  joints_.resize(squares);
  free_.resize(states.states());
  right_.resize(states.states());
  moved_.resize(most);
  pivots_.resize(states.states());
}

template <class T>
bool StateCouplings<T>::prepare(const T& gamma) noexcept {
  gamma_ = gamma;
  if (empty()) return true;
  for (std::vector<Six<T>>* blocks : {&frames_, &inner_, &outer_}) std::ranges::fill(*blocks, Six<T>{});
  std::ranges::fill(joints_, T{});
  std::ranges::fill(loads_, T{});
  const LinearizedStates& states = tree_.states();
  for (const Element& e : states.elements()) {
    T* out = inverses_.data() + e.inverse;
    for (std::size_t k = 0; k < states.groups(e); ++k) {
      const std::span<const std::size_t> group = states.group(e, k);
      const std::size_t n = group.size();
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) out[r * n + c] = T(r == c) - gamma * states.Z(e, group[r], group[c]);
      if (!invert(out, n, pivots_.data())) return false;
      out += n * n;
    }
    condense(e);
    place(e);
  }
  return true;
}

/// E, by the states of each group alone: most loads depend on few states, and these on few displacements.
template <class T>
void StateCouplings<T>::condense(const Element& e) noexcept {
  const LinearizedStates& states = tree_.states();
  const double *A = states.A(e), *B = states.B(e), *C = states.C(e);
  const T* inverse = inverses_.data() + e.inverse;
  for (std::size_t k = 0; k < states.groups(e); ++k) {
    const std::span<const std::size_t> group = states.group(e, k);
    const std::size_t n = group.size();
    for (std::size_t row = 0; row < e.count; ++row) {
      T* const out = loads_.data() + e.loads + row * e.count;
      bool any = false;
      for (std::size_t c = 0; c < n; ++c) right_[c] = T{};
      for (std::size_t r = 0; r < n; ++r) {
        const double by = C[row * e.states + group[r]];
        if (by == 0) continue;
        any = true;
        for (std::size_t c = 0; c < n; ++c) right_[c] += by * inverse[r * n + c];
      }
      for (std::size_t c = 0; any && c < n; ++c) {
        const std::size_t at = group[c] * e.count;
        for (std::size_t j = 0; j < e.count; ++j) out[j] += right_[c] * (gamma_ * A[at + j] + B[at + j]);
      }
    }
    inverse += n * n;
  }
}

/// Moves the parts of E that the sweep carries to its blocks.
template <class T>
void StateCouplings<T>::place(const Element& e) noexcept {
  using Place = LinearizedStates::Place;
  for (const LinearizedStates::Block& b : tree_.states().blocks(e)) {
    if (!b.is_local) continue;
    Six<T>* const six = b.place == Place::frame   ? &frames_[b.target]
                        : b.place == Place::inner ? &inner_[b.target]
                        : b.place == Place::outer ? &outer_[b.target]
                                                  : nullptr;
    T* const square = six != nullptr ? nullptr : joints_.data() + tree_.bodies()[b.target].square;
    for (std::size_t r = 0; r < b.size; ++r)
      for (std::size_t c = 0; c < b.size; ++c) {
        T& x = loads_[e.loads + (b.row + r) * e.count + b.column + c];
        if (six != nullptr)
          (*six)(r, c) -= x;
        else
          square[r * b.size + c] -= x;
        x = T{};
      }
  }
}

template <class T>
void StateCouplings<T>::apply_inverse(const Element& e, const T* right, T* out) const noexcept {
  const LinearizedStates& states = tree_.states();
  const T* inverse = inverses_.data() + e.inverse;
  for (std::size_t k = 0; k < states.groups(e); ++k) {
    const std::span<const std::size_t> group = states.group(e, k);
    const std::size_t n = group.size();
    for (std::size_t r = 0; r < n; ++r) {
      T sum{};
      for (std::size_t c = 0; c < n; ++c) sum += inverse[r * n + c] * right[group[c]];
      out[group[r]] = sum;
    }
    inverse += n * n;
  }
}

template <class T>
void StateCouplings<T>::begin(NewtonSweep<T>& sweep, std::span<const T> steps, std::span<const T> x) noexcept {
  const LinearizedStates& states = tree_.states();
  for (const Element& e : states.elements()) {
    const double *B = states.B(e), *C = states.C(e);
    for (std::size_t j = 0; j < e.count; ++j) moved_[j] = gamma_ * sweep.given_rate(tree_.pattern(e.first + j), steps);
    for (std::size_t s = 0; s < e.states; ++s) {
      T sum = x[e.state_offset + s];
      for (std::size_t j = 0; j < e.count; ++j) sum += B[s * e.count + j] * moved_[j];
      right_[s] = sum;
    }
    T* const found = free_.data() + e.state;
    apply_inverse(e, right_.data(), found);
    for (std::size_t j = 0; j < e.count; ++j) {
      T load{};
      for (std::size_t s = 0; s < e.states; ++s) load += C[j * e.states + s] * found[s];
      sweep.load(tree_.pattern(e.first + j), load);
    }
  }
}

template <class T>
void StateCouplings<T>::finish(const NewtonSweep<T>& sweep, std::span<const T> found, std::span<T> x) noexcept {
  const LinearizedStates& states = tree_.states();
  for (const Element& e : states.elements()) {
    const double *A = states.A(e), *B = states.B(e);
    for (std::size_t j = 0; j < e.count; ++j) moved_[j] = sweep.displacement(tree_.pattern(e.first + j), found);
    for (std::size_t s = 0; s < e.states; ++s) {
      T sum{};
      for (std::size_t j = 0; j < e.count; ++j) sum += (gamma_ * A[s * e.count + j] + B[s * e.count + j]) * moved_[j];
      right_[s] = sum;
    }
    T* const out = x.data() + e.state_offset;
    apply_inverse(e, right_.data(), out);
    for (std::size_t s = 0; s < e.states; ++s) out[s] += free_[e.state + s];
  }
}

template class StateCouplings<double>;
template class StateCouplings<std::complex<double>>;

}  // namespace polyform
