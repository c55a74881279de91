#include "polyform/solvers/newton/tree_newton.hpp"

#include <algorithm>

#include "polyform/solvers/newton/small_inverse.hpp"

namespace polyform {

namespace {

constexpr std::size_t most_states = 16;  ///< of one instance whose states are solved together

}  // namespace

template <class T>
TreeNewton::Place<T>::Place(const LinearizedTree& linearized, const SystemView& view)
    : tree(linearized),
      sweep(linearized),
      border(linearized, sweep),
      steps(view.nv_tree),
      rates(view.nv_tree),
      states(view.states) {
  std::size_t next = 0;
  for (const ForceDerivatives::Instance& i : tree.derivatives().instances()) {
    first.push_back(next);
    next += i.states * i.states;
  }
  inverses.resize(next);
}

template <class T>
bool TreeNewton::Place<T>::prepare_states(const T& gamma) noexcept {
  std::size_t number = 0;
  for (const ForceDerivatives::Instance& i : tree.derivatives().instances()) {
    T* out = inverses.data() + first[number++];
    const std::size_t n = i.states;
    const double* matrix = tree.derivatives().matrix(i) + (i.outputs() - n) * i.inputs() + i.inputs() - n;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < n; ++c) out[r * n + c] = T(r == c) - gamma * matrix[r * i.inputs() + c];
    std::size_t pivots[most_states];
    if (n > 0 && (n > most_states || !invert(out, n, pivots))) return false;
  }
  return true;
}

TreeNewton::TreeNewton(const SystemView& view, const JointState& state, const Vec3& origin)
    : view_(view), state_(state), tree_(view, origin), real_(tree_, view), complex_(tree_, view), q_(view.nq_tree) {}

void TreeNewton::linearize(double t, std::span<const double> y, const PlacedState& placed, std::span<const double> ydot,
                           std::span<const Spatial> cut) noexcept {
  const JointState::Parts parts = state_.split(y);
  std::ranges::copy(parts.q, q_.begin());
  tree_.evaluate({t, placed.q, placed.v, parts.x, ydot.subspan(view_.nq_tree, view_.nv_tree), cut});
}

bool TreeNewton::prepare(double gamma) noexcept {
  return real_.sweep.factorize(gamma) && real_.border.factorize() && real_.prepare_states(gamma);
}

bool TreeNewton::prepare(std::complex<double> gamma) noexcept {
  return complex_.sweep.factorize(gamma) && complex_.border.factorize() && complex_.prepare_states(gamma);
}

template <class T, class Read, class Write>
void TreeNewton::solve(Place<T>& place, const Read& read, const Write& write) noexcept {
  // Coordinates as steps in the velocity coordinates; what is none (the length of a quaternion) stays.
  for (const JointData& joint : view_.tree_joints()) {
    const double* q = q_.data() + joint.q_offset;
    double real[most_joint_positions], imaginary[most_joint_positions], steps[6], imaginary_steps[6];
    for (std::size_t k = 0; k < joint.nq; ++k) {
      const T x = read(joint.q_offset + k);
      real[k] = std::real(x);
      imaginary[k] = std::imag(x);
    }
    LinearizedTree::to_velocity_steps(joint, q, real, steps);
    constexpr bool is_complex = !std::is_same_v<T, double>;
    if constexpr (is_complex) LinearizedTree::to_velocity_steps(joint, q, imaginary, imaginary_steps);
    for (std::size_t k = 0; k < joint.nv; ++k) {
      if constexpr (is_complex) place.steps[joint.v_offset + k] = {steps[k], imaginary_steps[k]};
      else place.steps[joint.v_offset + k] = steps[k];
      place.rates[joint.v_offset + k] = read(view_.nq_tree + joint.v_offset + k);
    }
    if (joint.nq == joint.nv && joint.kernel == nullptr) continue;
    double moved[most_joint_positions];
    joint_position_step(joint, q, steps, moved);
    for (std::size_t k = 0; k < joint.nq; ++k) real[k] -= moved[k];
    if constexpr (is_complex) {
      joint_position_step(joint, q, imaginary_steps, moved);
      for (std::size_t k = 0; k < joint.nq; ++k) write(joint.q_offset + k, T{real[k], imaginary[k] - moved[k]});
    } else {
      for (std::size_t k = 0; k < joint.nq; ++k) write(joint.q_offset + k, real[k]);
    }
  }
  place.border.solve(place.steps, place.rates);
  for (const JointData& joint : view_.tree_joints()) {
    for (std::size_t k = 0; k < joint.nv; ++k)
      write(view_.nq_tree + joint.v_offset + k, place.rates[joint.v_offset + k]);
    if (joint.nq == joint.nv && joint.kernel == nullptr) {
      for (std::size_t k = 0; k < joint.nv; ++k) write(joint.q_offset + k, place.steps[joint.v_offset + k]);
      continue;
    }
    double steps[6], moved[most_joint_positions], imaginary_moved[most_joint_positions];
    for (std::size_t k = 0; k < joint.nv; ++k) steps[k] = std::real(place.steps[joint.v_offset + k]);
    joint_position_step(joint, q_.data() + joint.q_offset, steps, moved);
    if constexpr (!std::is_same_v<T, double>) {
      for (std::size_t k = 0; k < joint.nv; ++k) steps[k] = std::imag(place.steps[joint.v_offset + k]);
      joint_position_step(joint, q_.data() + joint.q_offset, steps, imaginary_moved);
      for (std::size_t k = 0; k < joint.nq; ++k)
        write(joint.q_offset + k, read(joint.q_offset + k) + T{moved[k], imaginary_moved[k]});
    } else {
      for (std::size_t k = 0; k < joint.nq; ++k) write(joint.q_offset + k, read(joint.q_offset + k) + moved[k]);
    }
  }
  std::size_t number = 0;
  for (const ForceDerivatives::Instance& i : tree_.derivatives().instances()) {
    const T* inverse = place.inverses.data() + place.first[number++];
    const std::size_t at_state = state_.moving() + i.state_offset;
    for (std::size_t r = 0; r < i.states; ++r) {
      T sum{};
      for (std::size_t c = 0; c < i.states; ++c) sum += inverse[r * i.states + c] * read(at_state + c);
      place.states[i.state_offset + r] = sum;
    }
    for (std::size_t r = 0; r < i.states; ++r) write(at_state + r, place.states[i.state_offset + r]);
  }
}

void TreeNewton::solve(std::span<double> x) noexcept {
  solve(real_, [&](std::size_t k) { return x[k]; }, [&](std::size_t k, double value) { x[k] = value; });
}

void TreeNewton::solve(std::span<double> real, std::span<double> imaginary) noexcept {
  solve(
      complex_, [&](std::size_t k) { return std::complex<double>(real[k], imaginary[k]); },
      [&](std::size_t k, const std::complex<double>& value) {
        real[k] = value.real();
        imaginary[k] = value.imag();
      });
}

}  // namespace polyform
