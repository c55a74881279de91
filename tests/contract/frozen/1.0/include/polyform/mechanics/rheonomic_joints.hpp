// The joints of a system whose motion depends on time: their clocks, and the power that drives them.
#pragma once

#include <span>
#include <vector>

#include "polyform/contract/rheonomic_joint.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

/// The kernel of a joint that depends on time; nullptr for any other joint.
inline const RheonomicKernel* rheonomic_kernel(const JointData& joint) {
  return joint.kernel == nullptr ? nullptr : ask<RheonomicKernel>(*joint.kernel);
}

/// How many of a joint's position coordinates elements see: all but the time.
inline std::size_t own_positions(const JointData& joint) {
  return rheonomic_kernel(joint) == nullptr ? joint.nq : joint.nq - 1;
}

/// Nothing allocates after construction.
class RheonomicJoints {
 public:
  /// The view outlives the object.
  explicit RheonomicJoints(const SystemView&);

  bool empty() const { return joints_.empty(); }
  /// Writes the time into the coordinates q of all joints.
  void set_clocks(double t, std::span<double> q) const noexcept;
  /// The power of the drives, W: the wrenches that the joints transmit, along their drifts. q: of all joints; frames:
  /// bodies, then nodes; reactions: of all joints, on the moving body at the origin of M, ground axes.
  double power(std::span<const double> q, std::span<const BodyMotion> frames,
               std::span<const Spatial> reactions) const noexcept;

 private:
  const SystemView& view_;
  std::vector<std::size_t> joints_;
};

/// Writes the time into the coordinates q of all joints of a system.
void set_clocks(const SystemView&, double t, std::span<double> q);

}  // namespace polyform
