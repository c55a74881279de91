// The state of a solver in absolute coordinates: as y, as poses and motions of all bodies, and as canonical state.
#pragma once

#include <span>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/joint_hints.hpp"

namespace polyform::absolute {

/// One state of all bodies. AbsoluteSolver tells the order of y. Coordinates and velocities of joints are hints until
/// the equations of motion have been evaluated at the motions, which sets them.
class State {
 public:
  /// Both arguments outlive the object; discrete gets the values that hints need.
  State(const SystemView&, DiscreteValues& discrete);

  std::size_t size() const { return hints_at() + hints_.size() + view_.states; }  ///< of y
  std::span<const StateKind> kinds() const { return kinds_; }                     ///< of each number of y
  void read(std::span<const double> y) noexcept;
  void write(std::span<double> y) const noexcept;
  /// Takes motions, coordinates, states and discrete states from a canonical state.
  void take(const ConstStateView&) noexcept;
  /// Writes the canonical state, once the joints are known.
  void put(const StateView&) const noexcept;
  ConstStateView canonical() const noexcept {
    return {.q = q_, .v = v_, .eta = eta_, .etadot = etadot_, .x = x_, .discrete = discrete_.of_elements()};
  }

  /// Writes the part of ẏ that follows from the motions: rates of poses, modes and hints.
  void position_rates(std::span<double> ydot) noexcept;
  /// Writes the part of ẏ that consists of accelerations. accelerations: of all blocks, angular before linear.
  void velocity_rates(std::span<const double> accelerations, std::span<double> ydot) const noexcept;
  /// Whether rates of hints need the velocities of joints.
  bool has_hints() const { return !hints_.coordinates().empty(); }

  void normalize() noexcept;
  /// Brings the motions to poses that have been moved since y was read. The mass centre of a body (for a flexible one:
  /// the frame origin) keeps its velocity.
  void follow_poses(std::span<const double> y) noexcept;

  std::span<Pose> poses() { return poses_; }  ///< of the body frames
  std::span<BodyMotion> motions() { return motions_; }
  std::span<double> q() { return q_; }  ///< of all joints, as v
  std::span<double> v() { return v_; }
  std::span<double> eta() { return eta_; }
  std::span<double> etadot() { return etadot_; }
  std::span<double> x() { return x_; }  ///< first-order states

 private:
  std::size_t hints_at() const { return 13 * poses_.size() + 2 * view_.modes; }
  Vec3 center_of(std::size_t body) const {
    return view_.bodies[body].flexible == rigid ? view_.bodies[body].center_of_mass : Vec3{};
  }
  void find_kinds();

  const SystemView& view_;
  TreeKinematics tree_;
  DiscreteValues& discrete_;
  JointHints hints_;
  std::vector<Pose> poses_;
  std::vector<BodyMotion> motions_;
  std::vector<Quat> orientations_;  ///< of bodies and nodes, continuous
  std::vector<double> eta_, etadot_, x_;
  std::vector<double> q_, v_, rates_;
  std::vector<StateKind> kinds_;
};

}  // namespace polyform::absolute
