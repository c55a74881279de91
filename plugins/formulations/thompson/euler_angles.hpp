// Euler angle sequences in the place of quaternions.
//
// A ball in a joint (spherical, free) is turned by single-axis rotations Rot(a1, β1) Rot(a2, β2) Rot(a3, β3), each axis
// fixed in the frame that the earlier ones lead to; ω = B β̇ with B = [a1  R1 a2  R1 R2 a3] in the axes before the
// ball. With u, v, w of Section II read from the last axis back, det B = (a1 × a2) · R2 a3 vanishes at gimbal lock.
// Joints with one or two rotations (revolute, universal) have their Euler angles as coordinates anyway and know no
// lock.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/helpers/compile.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/solvers/joint_state.hpp"

namespace polyform::thompson {

/// The rotations of the ball in one tree joint.
struct EulerSequence {
  std::size_t joint = 0;
  std::size_t offset = 0;    ///< of the quaternion among the coordinates of the joint
  std::size_t velocity = 0;  ///< of the angular velocity among the joint's velocities
  Vec3 axes[3];              ///< unit, in the axes before the ball
  std::string text;          ///< as given, for messages

  /// Closer to gimbal lock than this fraction of the way from the best position, rates are over a hundred times ω.
  static constexpr double least_clearance = 0.01;
  /// (a1 × a2) · R2 a3, relative to its largest value: ±1 in the best position, 0 at gimbal lock.
  double clearance(const double* beta) const noexcept;
  Quat quaternion(const double* beta) const noexcept;
  /// β̇ = B⁻¹ ω; to be called with enough clearance.
  void rates(const double* beta, const Vec3& omega, double* betadot) const noexcept;
  /// Angles of an orientation, nearest to those in beta. False when the sequence cannot reach it (axes not at right
  /// angles).
  bool angles(const Quat& orientation, double* beta) const noexcept;
};

/// Reads the option `angles`: "zyx" for all balls in tree joints, "hub=zyx, gimbal=x (0 0.6 0.8) x" for single ones,
/// "quaternion" for none. What was wrong and what to do, or nothing.
std::optional<Refusal> read_sequences(const SystemView&, std::string_view text, std::vector<EulerSequence>& out);

/// The state vector y = [q v x c]: that of JointState, but with three angles in the place of four numbers where a
/// sequence is chosen. The side of gimbal lock that a sequence is on is a discrete state.
class StateVector {
 public:
  /// The discrete values outlive the object; a side per sequence is added to them.
  StateVector(const SystemView&, std::vector<EulerSequence>, DiscreteValues&);

  std::size_t size() const { return joints_.size() - sequences_.size(); }  // an angle less per sequence
  std::size_t velocities_at() const { return view_.nq_tree - sequences_.size(); }
  const JointState& joints() const { return joints_; }
  std::span<const EulerSequence> sequences() const { return sequences_; }
  std::span<const StateKind> kinds() const { return kinds_; }  ///< of each number of y

  /// The part of JointState.
  void to_joints(std::span<const double> y, std::span<double> joints) const noexcept;
  /// y, which holds hints for the angles. False if a sequence cannot reach an orientation: failed names it.
  bool from_joints(std::span<const double> joints, std::span<double> y, std::size_t& failed) const noexcept;
  /// Sets the sides, and turns the first angles so that the quaternions keep their signs.
  void start(std::span<const double> joints, std::span<double> y) const noexcept;
  /// ẏ of the same parts; joint_rates: of JointState's. False if a sequence is at gimbal lock: failed tells.
  bool rates(std::span<const double> y, std::span<const double> joint_rates, std::span<double> ydot,
             std::size_t& failed) const noexcept;

 private:
  template <class Copy, class Ball>
  void walk(Copy copy, Ball ball) const noexcept;

  const SystemView& view_;
  JointState joints_;
  std::vector<EulerSequence> sequences_;
  DiscreteValues& discrete_;
  std::vector<std::size_t> sides_;  ///< per sequence, of its discrete value: 1 if the clearance is negative
  std::vector<StateKind> kinds_;
};

}  // namespace polyform::thompson
