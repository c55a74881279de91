// The state vector of the particles.
#pragma once

#include <span>
#include <vector>

#include "equations.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/solvers/joint_hints.hpp"

namespace polyform::particles {

/// State y, in this order:
///   positions of the moving particles (3 each), then their velocities, ground axes;
///   hints: what the positions leave open, integrated from its rate and read by observers only: the sign of each body's
///          quaternion (kept as the quaternion, 4 per body), whole turns of joints (their angles), displacements along
///          turned axes, all coordinates of code-defined joints;
///   x:     first-order states of forces.
/// The signs of the cut joints' quaternions are discrete states.
class StateVector {
 public:
  /// All arguments outlive the object; the signs are added to the discrete values.
  StateVector(const SystemView&, const Layout&, DiscreteValues&);

  std::size_t size() const { return kinds_.size(); }
  std::span<const StateKind> kinds() const { return kinds_; }
  bool has_joint_hints() const { return hints_.size() > 0; }
  std::span<const double> states_of(std::span<const double> y) const { return y.last(view_.states); }
  void write_states(std::span<const double> x, std::span<double> y) const noexcept {
    std::copy(x.begin(), x.end(), y.last(view_.states).begin());
  }

  /// Sets particles and orientations from a consistent state, and the signs of its quaternions.
  void place(const ConstStateView&, ParticleMotion&) noexcept;
  void read_particles(std::span<const double> y, ParticleMotion&) const noexcept;
  void write_particles(const ParticleMotion&, std::span<double> y) const noexcept;
  /// Reads the orientations of all bodies and, with of_joints, the coordinates q of all joints.
  void read_hints(std::span<const double> y, bool of_joints, std::span<double> q) noexcept;
  void write_hints(std::span<const double> q, std::span<double> y) const noexcept;

  /// The orientations of the bodies, continuous along the motion.
  std::span<const Quat> orientations() const { return orientations_; }
  /// Sets the orientations to those of the particles, with the signs that they have.
  void settle_orientations(const MovingBodies&) noexcept;
  /// Sets orientations and angles to those of the particles; the hints only tell turns and signs.
  void reset_hints(const MovingBodies&, std::span<double> q) noexcept;

  /// Finds ẏ of the particles' positions and of the hints, for the bodies just placed.
  void find_position_rates(const MovingBodies&, const JointValues&, std::span<double> ydot) noexcept;
  /// Writes ẏ of the particles' velocities.
  void write_accelerations(std::span<const Vec3> accelerations, std::span<double> ydot) const noexcept;

 private:
  void find_kinds();
  double revolute_rate(const PlacedBodies&, std::size_t joint) const noexcept;
  std::size_t hints_at() const { return 6 * layout_.moving; }

  const SystemView& view_;
  const Layout& layout_;
  TreeKinematics tree_;  ///< of an initial state
  JointHints hints_;
  std::vector<Quat> orientations_;
  std::vector<double> rates_;     ///< of q
  std::vector<StateKind> kinds_;  ///< of each number of y
};

}  // namespace polyform::particles
