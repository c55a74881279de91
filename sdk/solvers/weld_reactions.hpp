// The reactions of fixed joints whose bodies move as one.
#pragma once

#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/flexible_nodes.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/solvers/rigid_groups.hpp"

namespace polyform {

/// The reactions of the fixed joints within rigid groups, from the tips to the carriers: in Newton's and Euler's
/// equations of a carried body, the wrench from the next body is the only unknown.
class WeldReactions {
 public:
  /// Both arguments outlive the object. groups: not empty.
  WeldReactions(const SystemView& whole, const RigidGroups& groups);
  bool good() const { return forces_.good(); }
  /// Writes the reactions of joints within groups. out holds everything else on entry. Nothing allocates.
  void find(double t, Observation& out) noexcept;

 private:
  /// Another joint on a body that is carried.
  struct End {
    std::size_t joint, body;
    double sign;  ///< of the wrench on the body in the joint's reaction
  };
  Vec3 origin_of_M(std::size_t joint) const noexcept;
  Spatial inertial(std::size_t body, const Observation::Body&) const noexcept;

  const SystemView& view_;
  const RigidGroups& groups_;
  std::vector<ForceInstances> loading_;  ///< forces that act on bodies that are carried
  ForceSet forces_;
  NodeMotions nodes_;
  std::vector<End> ends_;
  std::vector<BodyMotion> frames_;
  std::vector<Spatial> wrenches_, loads_;  ///< about the frame origins, ground axes
  std::vector<double> efforts_, rates_;
};

}  // namespace polyform
