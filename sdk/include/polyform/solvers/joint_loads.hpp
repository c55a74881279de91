// The applied forces of a system in joint coordinates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/force_laws.hpp"
#include "polyform/solvers/joint_placement.hpp"

namespace polyform {

/// Wrenches on frames and efforts on joints at the last evaluate(): those of the forces, and the given part of the
/// forces of constraint elements. Efforts on cut joints act as wrenches on the joints' frames.
class JointLoads {
 public:
  /// origin: the point from which positions of the frames count. View and loops outlive the object.
  JointLoads(const SystemView&, const Vec3& origin, const LoopClosure&);

  bool good() const { return forces_.good(); }
  const ForceSet& forces() const { return forces_; }
  const ForceLaws& laws() const { return laws_; }
  /// Discrete states of all elements, as ForceSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { forces_.follow(discrete); }
  /// x: first-order states, xdot: their rates.
  void evaluate(double t, const PlacedState& here, std::span<const double> x, std::span<double> xdot) noexcept {
    if (!forces_.empty() || !loops_.elements().empty()) evaluate_all(t, here, x, xdot);
  }

  /// Frames that a force may act on.
  std::span<const FrameIndex> frames() const { return frames_; }
  /// One per frame of the system, about its origin, ground axes; those of frames() count.
  std::span<const Spatial> wrenches() const { return wrenches_; }
  /// Per velocity coordinate of all joints; empty if no force acts on a joint.
  std::span<const double> efforts() const {
    return forces_.loads_joints() ? std::span<const double>(efforts_) : std::span<const double>();
  }
  bool are_efforts_finite() const noexcept;
  /// The wrench that the i-th cut joint transmits to its moving body at the origin of M, ground axes: constraint force
  /// and efforts. base: motion of its base body.
  Spatial cut_reaction(std::size_t i, const BodyMotion& base) const noexcept;

 private:
  void evaluate_all(double t, const PlacedState&, std::span<const double> x, std::span<double> xdot) noexcept;
  Spatial cut_effort(std::size_t i) const noexcept;

  const SystemView& view_;
  const LoopClosure& loops_;
  ForceSet forces_;
  ForceLaws laws_;
  std::vector<FrameIndex> frames_;
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_;
};

}  // namespace polyform
