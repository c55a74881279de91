// Bodies that fixed joints hold together move as one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform {

/// The bodies of a system in groups that move as one. The body of a group that is nearest to ground carries the others;
/// ground carries a group that is welded to ground. A body whose fixed joint is in the spanning tree is carried, unless
/// something asks for its own motion or axes: a constraint element or a module is attached to it, an element to its
/// joint, a ball or a code-defined joint has its coordinates in its axes, which are turned, or a loop is closed within
/// the group.
class RigidGroups {
 public:
  /// Pose of a body in the frame of its carrier.
  struct Place {
    BodyIndex carrier = BodyIndex::ground;
    Mat3 R = Mat3::identity();
    Vec3 p;
    Quat turn;  ///< R, in the sense that the drawn orientations of the joints have along the tree
  };

  explicit RigidGroups(const SystemView&);

  /// Whether no body is carried by another one or by ground.
  bool empty() const { return places_.empty(); }
  /// The place of a body, unless empty(). A body that is not carried is its own carrier.
  const Place& operator[](std::size_t body) const { return places_[body]; }
  bool is_carried(BodyIndex b) const { return !is_ground(b) && places_[at(b)].carrier != b; }

 private:
  bool place(const SystemView&, const std::vector<bool>& alone, const std::vector<bool>& in_own_axes);

  std::vector<Place> places_;
};

}  // namespace polyform
