// The state vector of solvers in joint coordinates.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform {

/// Rates of the parts of y: of velocities, of modal velocities and of first-order states.
struct JointRates {
  double* v;
  double* eta;
  std::span<double> x;
};

/// y = [q v η η̇ x c]: coordinates and velocities of the tree joints, modes, first-order states of the forces, and
/// coordinates of the cut joints (these follow from q up to whole turns, for which they are carried).
class JointState {
 public:
  /// The parts of y.
  struct Parts {
    std::span<const double> q, v, eta, etadot, x, cut;
  };

  explicit JointState(const SystemView& view) : view_(view), kinds_(size()) {
    auto next = kinds_.begin();
    const auto are = [&](StateKind kind, std::size_t count) { next = std::fill_n(next, count, kind); };
    are(StateKind::position, view_.nq_tree);
    are(StateKind::velocity, view_.nv_tree);
    are(StateKind::position, view_.modes);
    are(StateKind::velocity, view_.modes);
    are(StateKind::other, view_.states);
    are(StateKind::position, view_.nq - view_.nq_tree);
    for (std::size_t j = 0; j < view_.joints.size(); ++j) {
      const JointData& joint = view_.joints[j];
      if (rheonomic_kernel(joint) == nullptr) continue;
      const std::size_t first = j < view_.bodies.size() ? 0 : uncut() - view_.nq_tree;
      clocks_.push_back(first + joint.q_offset + joint.nq - 1);
    }
  }

  /// How many numbers stand before η, before x and before the cut joints' coordinates.
  std::size_t joints() const { return view_.nq_tree + view_.nv_tree; }
  std::size_t moving() const { return joints() + 2 * view_.modes; }
  std::size_t uncut() const { return moving() + view_.states; }
  std::span<const StateKind> kinds() const { return kinds_; }
  std::size_t size() const { return uncut() + (view_.nq - view_.nq_tree); }

  Parts split(std::span<const double> y) const noexcept {
    Parts parts = split_moving(y);
    parts.x = y.subspan(moving(), view_.states);
    parts.cut = y.subspan(uncut(), view_.nq - view_.nq_tree);
    return parts;
  }
  /// The places in ẏ of what a sweep and the elements find; the rates of positions stand beside them.
  JointRates rates(std::span<double> ydot) const noexcept {
    return {ydot.data() + view_.nq_tree, ydot.data() + joints() + view_.modes, ydot.subspan(moving(), view_.states)};
  }
  /// Splits a y that ends before x.
  Parts split_moving(std::span<const double> y) const noexcept {
    return {y.first(view_.nq_tree),
            y.subspan(view_.nq_tree, view_.nv_tree),
            y.subspan(joints(), view_.modes),
            y.subspan(joints() + view_.modes, view_.modes),
            {},
            {}};
  }
  /// From the canonical state.
  void encode(const ConstStateView& state, std::span<double> y) const noexcept {
    auto out = std::copy_n(state.q.begin(), view_.nq_tree, y.begin());
    out = std::copy_n(state.v.begin(), view_.nv_tree, out);
    out = std::copy(state.eta.begin(), state.eta.end(), out);
    out = std::copy(state.etadot.begin(), state.etadot.end(), out);
    out = std::copy(state.x.begin(), state.x.end(), out);
    std::copy(state.q.begin() + static_cast<std::ptrdiff_t>(view_.nq_tree), state.q.end(), out);
  }
  /// Moves y by a step in the positions, per velocity coordinate of the tree joints, then per mode.
  void move(std::span<double> y, std::span<const double> by) const noexcept {
    for (const JointData& joint : view_.tree_joints()) {
      double rates[most_joint_positions];
      joint_position_step(joint, y.data() + joint.q_offset, by.data() + joint.v_offset, rates);
      for (std::size_t k = 0; k < joint.nq; ++k) y[joint.q_offset + k] += rates[k];
      joint_normalize(joint, y.data() + joint.q_offset);
    }
    for (std::size_t k = 0; k < view_.modes; ++k) y[joints() + k] += by[view_.nv_tree + k];
  }
  /// The same with the velocities.
  void accelerate(std::span<double> y, std::span<const double> by) const noexcept {
    for (std::size_t k = 0; k < view_.nv_tree; ++k) y[view_.nq_tree + k] += by[k];
    for (std::size_t k = 0; k < view_.modes; ++k) y[joints() + view_.modes + k] += by[view_.nv_tree + k];
  }
  /// Writes the time into the coordinates of the joints that depend on it.
  void set_clocks(double t, std::span<double> y) const noexcept {
    for (const std::size_t k : clocks_) y[k] = t;
  }
  /// Takes the coordinates of the cut joints over from those of all joints.
  void keep_turns(std::span<double> y, std::span<const double> q) const noexcept {
    std::copy(q.begin() + static_cast<std::ptrdiff_t>(view_.nq_tree), q.end(),
              y.begin() + static_cast<std::ptrdiff_t>(uncut()));
  }

 private:
  const SystemView& view_;
  std::vector<StateKind> kinds_;     ///< of each number of y
  std::vector<std::size_t> clocks_;  ///< numbers of y that are the time
};

}  // namespace polyform
