#include "polyform/solvers/newton/tree_newton.hpp"

#include <algorithm>

namespace polyform {

template <class T>
TreeNewton::Place<T>::Place(const LinearizedTree& linearized, std::size_t states_of_all)
    : states(linearized),
      sweep(linearized, states),
      border(linearized, sweep, states),
      steps(linearized.directions()),
      rates(linearized.directions()),
      x(states_of_all) {}

TreeNewton::TreeNewton(const SystemView& view, const JointState& state, const Vec3& origin,
                       const ClosingConstraints* closing)
    : view_(view),
      state_(state),
      closing_(closing),
      tree_(view, origin, closing),
      real_(tree_, view.states),
      complex_(tree_, view.states),
      q_(view.nq) {}

void TreeNewton::linearize(double t, std::span<const double> y, const PlacedState& placed, std::span<const double> ydot,
                           std::span<const double> multipliers, std::span<const Spatial> cut) noexcept {
  const JointState::Parts parts = state_.split(y);
  std::ranges::copy(parts.cut, std::ranges::copy(parts.q, q_.begin()).out);
  tree_.evaluate({.time = t,
                  .q = placed.q,
                  .v = placed.v,
                  .x = parts.x,
                  .vdot = ydot.subspan(view_.nq_tree, view_.nv_tree),
                  .eta = parts.eta,
                  .etadot = parts.etadot,
                  .etaddot = ydot.subspan(state_.joints() + view_.modes, view_.modes),
                  .closing = closing_,
                  .multipliers = multipliers,
                  .cut = cut});
}

bool TreeNewton::prepare(double gamma) noexcept { return real_.prepare(gamma); }

bool TreeNewton::prepare(std::complex<double> gamma) noexcept { return complex_.prepare(gamma); }

/// Turns coordinates into steps in the velocity coordinates; a part that is no such step (the length of a quaternion)
/// stays in y.
template <class T, class Read, class Write>
void TreeNewton::read_joints(Place<T>& place, const Read& read, const Write& write) noexcept {
  constexpr bool is_complex = !std::is_same_v<T, double>;
  for (const JointData& joint : view_.tree_joints()) {
    const double* q = q_.data() + joint.q_offset;
    double real[most_joint_positions], imaginary[most_joint_positions], steps[6], imaginary_steps[6];
    for (std::size_t k = 0; k < joint.nq; ++k) {
      const T x = read(joint.q_offset + k);
      real[k] = std::real(x);
      imaginary[k] = std::imag(x);
    }
    LinearizedTree::to_velocity_steps(joint, q, real, steps);
    if constexpr (is_complex) LinearizedTree::to_velocity_steps(joint, q, imaginary, imaginary_steps);
    for (std::size_t k = 0; k < joint.nv; ++k) {
      if constexpr (is_complex)
        place.steps[joint.v_offset + k] = {steps[k], imaginary_steps[k]};
      else
        place.steps[joint.v_offset + k] = steps[k];
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
}

/// Adds steps in the velocity coordinates of a joint to its coordinates, which begin at a number of y.
template <class T, class Read, class Write>
void TreeNewton::write_joints(const JointData& joint, const T* steps, std::size_t at_y, const Read& read,
                              const Write& write) noexcept {
  double step[6], moved[most_joint_positions], imaginary_moved[most_joint_positions];
  const double* const q = q_.data() + joint.q_offset;
  for (std::size_t k = 0; k < joint.nv; ++k) step[k] = std::real(steps[k]);
  joint_position_step(joint, q, step, moved);
  if constexpr (!std::is_same_v<T, double>) {
    for (std::size_t k = 0; k < joint.nv; ++k) step[k] = std::imag(steps[k]);
    joint_position_step(joint, q, step, imaginary_moved);
    for (std::size_t k = 0; k < joint.nq; ++k) write(at_y + k, read(at_y + k) + T{moved[k], imaginary_moved[k]});
  } else {
    for (std::size_t k = 0; k < joint.nq; ++k) write(at_y + k, read(at_y + k) + moved[k]);
  }
}

/// Lets the coordinates of cut joints follow the bodies.
template <class T, class Read, class Write>
void TreeNewton::move_cut_joints(Place<T>& place, const Read& read, const Write& write) noexcept {
  if (view_.cut_joints().empty()) return;
  place.sweep.move(place.steps);
  for (const JointData& cut : view_.cut_joints()) {
    T steps[6];
    for (std::size_t k = 0; k < cut.nv; ++k)
      steps[k] = place.sweep.displacement_since(tree_.cut_directions()[cut.v_offset - view_.nv_tree + k]);
    write_joints(cut, steps, state_.uncut() + (cut.q_offset - view_.nq_tree), read, write);
  }
}

template <class T, class Read, class Write>
void TreeNewton::solve(Place<T>& place, const Read& read, const Write& write) noexcept {
  read_joints(place, read, write);
  const std::size_t modes = tree_.modes(), eta = state_.joints(), etadot = eta + view_.modes;
  for (std::size_t k = 0; k < view_.modes; ++k) {
    place.steps[modes + k] = read(eta + k);
    place.rates[modes + k] = read(etadot + k);
  }
  const std::size_t first = state_.moving();
  for (std::size_t k = 0; k < place.x.size(); ++k) place.x[k] = read(first + k);
  place.border.solve(place.steps, place.rates, place.x);
  for (const JointData& joint : view_.tree_joints()) {
    for (std::size_t k = 0; k < joint.nv; ++k)
      write(view_.nq_tree + joint.v_offset + k, place.rates[joint.v_offset + k]);
    if (joint.nq == joint.nv && joint.kernel == nullptr) {
      for (std::size_t k = 0; k < joint.nv; ++k) write(joint.q_offset + k, place.steps[joint.v_offset + k]);
      continue;
    }
    write_joints(joint, place.steps.data() + joint.v_offset, joint.q_offset, read, write);
  }
  for (std::size_t k = 0; k < view_.modes; ++k) {
    write(eta + k, place.steps[modes + k]);
    write(etadot + k, place.rates[modes + k]);
  }
  move_cut_joints(place, read, write);
  for (std::size_t k = 0; k < place.x.size(); ++k) write(first + k, place.x[k]);
}

void TreeNewton::solve(std::span<double> x) noexcept {
  solve(
      real_, [&](std::size_t k) { return x[k]; }, [&](std::size_t k, double value) { x[k] = value; });
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
