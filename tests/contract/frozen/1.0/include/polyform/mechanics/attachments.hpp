// What a batch of elements attaches to: the motions of its markers and the coordinates of its joints, gathered from
// those of the system, instance after instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

/// A point that is fixed in a frame: from the frame's origin to it, its place and its velocity, ground axes.
template <class T>
struct PointMotion {
  Vector3<T> arm, position, velocity;
};
/// R, p, V: of the frame, whose place counts from `origin`; that of ground does not move and counts from itself.
template <class T>
PointMotion<T> point_motion(const Matrix3<T>& R, const Vector3<T>& p, const SpatialVector<T>& V,
                            const Vector3<T>& point, const Vector3<T>& origin, bool of_ground) {
  const Vector3<T> arm = R * point;
  return {arm, of_ground ? arm : p + arm + origin, V.linear + cross(V.angular, arm)};
}
/// A wrench at the end of an arm, about the beginning of the arm.
template <class T>
SpatialVector<T> wrench_about(const SpatialVector<T>& wrench, const Vector3<T>& arm) {
  return {wrench.angular + cross(arm, wrench.linear), wrench.linear};
}

class Attachments {
 public:
  /// The coordinates of an attached joint among those of all joints.
  struct JointSlice {
    std::size_t q, nq, v, nv;
  };

  /// origin: the point from which positions of the frames count; elements get positions from the ground origin.
  Attachments(const SystemView&, Strided<const ElementInstance>, std::span<const JointIndex>, const Vec3& origin = {});

  /// Takes what is attached from the motions of all frames (bodies, then nodes) and the coordinates of all joints.
  void gather(std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v) noexcept;
  Strided<const Marker> markers() const { return markers_; }
  Strided<const MarkerMotion> motions() const { return motions_; }
  /// From the origins of the frames to the markers, ground axes.
  std::span<const Vec3> arms() const { return arms_; }
  std::span<const JointSlice> joints() const { return joints_; }
  const Vec3& origin() const { return origin_; }
  std::size_t velocities() const { return v_.size(); }
  /// What a batch is evaluated with. discrete: its discrete states; states: its first-order states.
  ForceInput input(double t, std::span<const std::int32_t> discrete, std::span<const double> states = {}) const {
    return {.time = t, .markers = motions_, .q = q_, .v = v_, .states = states, .discrete = discrete};
  }
  /// Adds efforts in the order of attachment to those of all joints.
  void add_efforts(std::span<const double> efforts, std::span<double> all) const noexcept;

 private:
  std::vector<Marker> markers_;
  std::vector<JointSlice> joints_;
  Vec3 origin_;
  std::vector<MarkerMotion> motions_;
  std::vector<Vec3> arms_;
  std::vector<double> q_, v_;
};

}  // namespace polyform
