// How far each joint, each constraint element and each row of a module is violated, from what any solver observes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/results/channel.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/flexible_nodes.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline columns {

/// Columns of the group `violations`. For a joint: how far its moving body is from the nearest pose that the joint
/// allows, as a displacement (m) and a small turn (rad) in ground axes, and the part of the relative velocity that the
/// joint forbids (m/s, rad/s). Of a constraint element: the residual of each holonomic row and what the velocities miss
/// in every row, in the units of the element; of a module likewise, its own variables included. All come from the
/// observed poses and velocities of the bodies, which are in ground: a violation below the rounding of their positions
/// cannot be seen.
class ViolationColumns {
 public:
  /// For the joints of the user's model that forbid any motion, in the order of the model. The system outlives the
  /// object.
  explicit ViolationColumns(const System&);

  const std::vector<Channel>& channels() const { return channels_; }
  /// Writes one value per channel and returns the end of what it wrote. Does not allocate.
  double* put(double time, const Observation&, double* out);

 private:
  void add_joint(JointIndex);
  void add_element(const ConstraintSet::Element&);
  double* put_joint(const JointData&, double* out);
  double* put_elements(const Observation&, double* out);
  double* put_modules(const Observation&, double* out);

  const SystemView& view_;
  std::vector<Channel> channels_;
  std::vector<JointIndex> joints_;
  ConstraintSet elements_;
  ModuleSet modules_;
  NodeMotions nodes_;
  std::vector<BodyMotion> frames_;
  std::vector<double> q_, v_;  ///< of all joints, as near to the poses as they can be
};

}  // namespace polyform::host::columns
