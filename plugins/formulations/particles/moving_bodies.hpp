// From particles to bodies and joints: their positions and velocities by those of the particles, at one state.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "layout.hpp"
#include "polyform/mechanics/constraint.hpp"

namespace polyform::particles {

/// Positions and velocities of all particles, ground axes, m and m/s. Those on ground stay where they are.
struct ParticleMotion {
  explicit ParticleMotion(const Layout&);
  std::vector<Vec3> positions, velocities;
};

/// Coordinates and velocities of all joints. q holds hints on entry; both are found for the joints that are asked for.
/// x: first-order states, of which corrections move those of modules.
struct JointValues {
  std::span<double> q, v, x;
};

/// Largest residuals of constraints: m or rad, and per second.
struct Violations {
  double position = 0, velocity = 0;
  void include(double of_position, double of_velocity) {
    position = std::max(position, of_position);
    velocity = std::max(velocity, of_velocity);
  }
};

/// Particles, bodies and joints of one state, which belong together until the particles move. Only MovingBodies makes
/// one: whoever is given it need not ask whether anything has been evaluated.
class PlacedBodies {
 public:
  PlacedBodies(const PlacedBodies&) = delete;
  PlacedBodies& operator=(const PlacedBodies&) = delete;

  std::span<const Vec3> positions, velocities;  ///< per particle
  // Per body:
  std::span<const Triangle> triangles;
  std::span<const Vec3> angular_velocities;
  std::span<const BodyMotion> motions;      ///< of the frames, where forces or joints need them or all were asked for
  std::span<const JointConstraint> joints;  ///< per joint, of those that are found
  Violations violations;                    ///< of these joints

 private:
  friend class MovingBodies;
  PlacedBodies() = default;
};

class MovingBodies {
 public:
  /// Which joints are found at all: those of the tree, or the cut ones as well.
  enum class Joints { tree, all };
  /// loaded: bodies whose wrenches count. always: frames are needed at every state. The view and the layout outlive the
  /// object.
  MovingBodies(const SystemView&, const Layout&, std::span<const BodyIndex> loaded, Joints, bool always);

  /// q and v are found for all joints, or only for those that finds() tells.
  const PlacedBodies& place(const ParticleMotion&, const JointValues&, bool all_joints) noexcept;
  const PlacedBodies& placed() const { return placed_; }  ///< as last placed

  bool finds(std::size_t joint) const { return needed_[joint]; }  ///< at every state
  bool finds_any() const { return finds_any_; }
  bool finds_motions() const { return finds_motions_; }  ///< at every state
  std::span<const BodyIndex> loaded() const { return loaded_; }
  Mat3 orientation(std::size_t body) const {
    return times_transpose(triangles_[body].axes(), layout_.bodies[body].to_body);
  }

 private:
  void find_needed_joints();
  void place_bodies(const ParticleMotion&, bool motions) noexcept;
  void place_joint(std::size_t joint, const JointValues&) noexcept;

  const SystemView& view_;
  const Layout& layout_;
  std::span<const BodyIndex> loaded_;
  std::size_t joint_count_;
  std::vector<bool> needed_;  ///< per joint
  bool finds_any_ = false, finds_motions_ = false;
  std::vector<Triangle> triangles_;
  std::vector<Vec3> angular_velocities_;
  std::vector<BodyMotion> motions_;
  std::vector<JointConstraint> joints_;
  PlacedBodies placed_;
};

}  // namespace polyform::particles
