// The spanning tree of a system as the recursion passes it: the constants of its bodies and hinges.
//
// Inside, every body has axes of its own: those that are parallel to ground as drawn (R K, K = R_drawn(ground)ᵀ), with
// the origin in its hinge point P. In these axes joints add no constant turn, all hinge axes, levers and inertia
// tensors are constants, and passing a body is a shift. P is the origin of M if that is fixed in the outboard body, and
// the origin of F for a reversed joint. The hinge of a flexible body carries one of its frames, which then stands for
// the body in the sweeps; flexible_links.hpp adds the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/transfer.hpp"
#include "polyform/solvers/hinged_link.hpp"
#include "polyform/solvers/loop_closure.hpp"

namespace polyform {

/// Its owner holds it const. One entry per body and its hinge, parents before children.
struct HingedTree {
  using Hinge = HingedLink::Hinge;
  using Link = HingedLink;
  /// Leads from the inside axes to the body frame, for all that enters or leaves the tree.
  struct Frame {
    Mat3 K;                   ///< inside axes in body axes
    std::size_t carried = 0;  ///< the frame that the hinge holds, among all frames
    Vec3 to_P;                ///< from that frame's origin, in its axes
    Mat3 base_K;              ///< K of the joint's base body, in whose axes the joint's coordinates are given
  };

  HingedTree(const SystemView&, const LoopClosure&);

  /// For a link that hangs on a frame of a flexible body: the number of that frame in FlexibleLinks::attachment.
  std::size_t attachment(const Link& link) const { return static_cast<std::size_t>(link.inboard) - links.size(); }
  /// The reverse: the index of such a frame in arrays that hold all bodies, then these frames.
  std::size_t index_of(std::size_t attachment) const { return links.size() + attachment; }

  std::vector<Link> links;
  std::vector<Inertia<double>> bodies;  ///< in their own axes
  std::vector<Frame> frames;
  std::vector<JointData> general_joints;
  std::vector<std::uint32_t> rotations;  ///< offsets of their coordinates
  std::size_t columns = 0, balls = 0, slots = 0;
  std::size_t most_modes = 0;  ///< of one flexible body
};

}  // namespace polyform
