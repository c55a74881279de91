// Kinematics of joints and of the tree: what every formulation needs of them, written once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/body_motion.hpp"
#include "polyform/mechanics/flexible_nodes.hpp"

namespace polyform {

/// The most coordinates that a joint can have. A rotation matrix and a place are twelve numbers; a kernel that needs
/// more than this counts wrongly.
inline constexpr std::size_t most_joint_positions = 64;

/// Motion of M in F at coordinates q (nq) and velocities v (nv), F axes. A zero-length quaternion counts as identity.
void joint_motion(const JointData&, const double* q, const double* v, JointMotion&) noexcept;
/// q̇ = N(q) v; of a joint that depends on time also the rate of its last coordinate, the time (rheonomic_joint.hpp).
void joint_position_rates(const JointData&, const double* q, const double* v, double* qdot) noexcept;
/// N(q) δ: a step in the coordinates for a small step δ in the directions of the velocity coordinates, at a fixed time.
void joint_position_step(const JointData&, const double* q, const double* delta, double* step) noexcept;
/// The twist of M in F that the passing of time alone causes, at v = 0, F axes; zero for a joint that does not depend
/// on time.
Spatial joint_drift(const JointData&, const double* q) noexcept;
/// Coordinates from a pose of M in F; q on entry settles turns and the sign of quaternions.
void joint_coordinates(const JointData&, const Mat3& R_FM, const Vec3& p_FM, double* q) noexcept;
/// The same by Gauss and Newton's method from the hint, for joints without a closed form.
void nearest_joint_coordinates(const JointData&, const Mat3& R_FM, const Vec3& p_FM, double* q) noexcept;
/// Coordinates as drawn.
void joint_neutral(const JointData&, double* q) noexcept;
/// Scales the joint's quaternions to unit length; returns the largest |length − 1| found.
double joint_normalize(const JointData&, double* q) noexcept;
/// Orientation of M in F as a quaternion that follows q continuously over many turns.
Quat joint_orientation(const JointData&, const double* q) noexcept;

/// Pose and twist of M in F, F axes, of two frames that need not respect the joint.
struct RelativeMotion {
  Mat3 R_FM;
  Vec3 p_FM;
  Spatial twist;
};
RelativeMotion relative_motion(const JointData&, const BodyMotion& base, const BodyMotion& moving) noexcept;
/// d/dt (in F) of RelativeMotion::twist, from the accelerations of the frame origins (ground axes).
Spatial relative_acceleration(const JointData&, const BodyMotion& base, const Spatial& base_acceleration,
                              const BodyMotion& moving, const Spatial& moving_acceleration) noexcept;

/// Motion of the outboard frame of a tree joint from that of its inboard frame.
void outboard_motion(const JointData&, const JointMotion&, const BodyMotion& inboard, BodyMotion& outboard) noexcept;
/// Acceleration of the outboard frame origin from that of the inboard one and the joint's v̇.
Spatial outboard_acceleration(const JointData&, const JointMotion&, const BodyMotion& inboard,
                              const Spatial& inboard_acceleration, const BodyMotion& outboard,
                              const double* vdot) noexcept;

/// Motions of many joints at once: primitives inline, code-defined joints in one call per type.
class JointMotions {
 public:
  explicit JointMotions(Strided<const JointData> joints);
  /// q and v in the order of the canonical state.
  void evaluate(const double* q, const double* v) noexcept;
  /// Sets twists and biases to zero, and leaves poses and motion subspaces.
  void stop() noexcept;
  const JointMotion& operator[](std::size_t joint) const { return motions_[joint]; }

 private:
  struct Batch {
    const JointKernel* kernel;
    std::size_t nq, nv;
    std::vector<std::size_t> joints;
    std::vector<std::span<const double>> parameters;
    std::vector<double> q, v;
    std::vector<JointMotion> motions;
  };
  Strided<const JointData> joints_;
  std::vector<std::size_t> data_joints_;
  std::vector<Batch> batches_;
  std::vector<JointMotion> motions_;
};

/// The sweep from root to tips over the spanning tree. eta, etadot, etaddot: of all modes; if the system has no nodes,
/// they are not read.
class TreeKinematics {
 public:
  explicit TreeKinematics(const SystemView& view);
  /// Motions of all frames from the coordinates of the tree joints and the modes.
  void evaluate(const double* q, const double* v, const double* eta = nullptr, const double* etadot = nullptr) noexcept;
  std::span<const BodyMotion> bodies() const { return {frames_.data(), view_.bodies.size()}; }
  std::span<const BodyMotion> frames() const { return frames_; }  ///< bodies, then nodes
  const JointMotions& joints() const { return joints_; }
  const NodeMotions& nodes() const { return nodes_; }
  /// Orientations of all frames as quaternions that follow q and eta continuously.
  void orientations(const double* q, std::span<Quat> out, const double* eta = nullptr) const noexcept;
  /// Accelerations of all frame origins at the evaluated state from v̇ of the tree joints and η̈.
  void accelerations(const double* vdot, std::span<Spatial> out, const double* etaddot = nullptr) const noexcept;

 private:
  const SystemView& view_;
  JointMotions joints_;
  NodeMotions nodes_;
  std::vector<BodyMotion> frames_;
  std::vector<Quat> drawn_;  ///< R_drawn of the tree joints
};

}  // namespace polyform
