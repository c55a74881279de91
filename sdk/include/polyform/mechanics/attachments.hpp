// What a batch of elements attaches to: the motions of its markers and the coordinates of its joints, gathered from
// those of the system, instance after instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

class Attachments {
 public:
  /// origin: the point from which positions of the frames count; elements get positions from the ground origin.
  Attachments(const SystemView&, Strided<const ElementInstance>, std::span<const JointIndex>, const Vec3& origin = {});

  /// Takes what is attached from the motions of all frames (bodies, then nodes) and the coordinates of all joints.
  void gather(std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v) noexcept;
  Strided<const Marker> markers() const { return markers_; }
  Strided<const MarkerMotion> motions() const { return motions_; }
  /// From the origins of the frames to the markers, ground axes.
  std::span<const Vec3> arms() const { return arms_; }
  std::size_t velocities() const { return v_.size(); }
  /// What a batch is evaluated with. discrete: its discrete states; states: its first-order states.
  ForceInput input(double t, std::span<const std::int32_t> discrete, std::span<const double> states = {}) const {
    return {.time = t, .markers = motions_, .q = q_, .v = v_, .states = states, .discrete = discrete};
  }
  /// Adds efforts in the order of attachment to those of all joints.
  void add_efforts(std::span<const double> efforts, std::span<double> all) const noexcept;

 private:
  struct JointSlice {
    std::size_t q, nq, v, nv;
  };
  std::vector<Marker> markers_;
  std::vector<JointSlice> joints_;
  Vec3 origin_;
  std::vector<MarkerMotion> motions_;
  std::vector<Vec3> arms_;
  std::vector<double> q_, v_;
};

}  // namespace polyform
