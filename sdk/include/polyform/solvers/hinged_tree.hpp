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
#include "polyform/solvers/loop_closure.hpp"

namespace polyform {

/// Its owner holds it const. One entry per body and its hinge, parents before children.
struct HingedTree {
  /// general: several primitives, code, a ball in a loop, or what is postponed, which are passed direction by
  /// direction.
  enum class Hinge : std::uint8_t { fixed, ball, rotation, translation, general };

  /// A body and the hinge that carries it, in the body's own axes.
  /// The sweeps read it body after body. So all that they need of a hinge stands side by side in memory, in one
  /// structure.
  struct Link {
    std::int32_t parent = -1;
    std::int32_t inboard = -1;     ///< among bodies and then frames of flexible ones: the parent, or its frame
    std::int32_t frame = -1;       ///< the same, in the motions of frames
    bool on_frame = false;         ///< the parent is flexible
    bool flexible = false;
    Hinge hinge = Hinge::fixed;
    bool reversed = false;         ///< the outboard body is the joint's base
    bool turned = false;           ///< a ball whose coordinates are given in axes that differ from the inside axes
    bool opens_slot = false;       ///< first in the inward sweep to write into its parent's slot
    bool looped = false;           ///< columns of loops pass the hinge or end in the body
    bool postponed = false;        ///< loops give the hinge its inertia (postponed_hinges.hpp)
    bool is_ball = false;          ///< three rotations at right angles, whichever way they are passed
    std::uint32_t q = 0, v = 0;    ///< offsets into the coordinates
    std::uint32_t first = 0;       ///< of the hinge's columns, or its place among the ball hinges
    std::uint32_t count = 0;       ///< number of columns
    std::uint32_t place = 0;       ///< among the general joints, or among the rotations
    std::int32_t slot = -1;        ///< of a body with several children: where all of these but the first are summed
    Vec3 lever;                    ///< from the parent's P to the hinge point on the parent, in the parent's axes
    Vec3 axis;                     ///< of one rotation or translation
  };
  /// Leads from the inside axes to the body frame, for all that enters or leaves the tree.
  struct Frame {
    Mat3 K;                        ///< inside axes in body axes
    std::size_t carried = 0;       ///< the frame that the hinge holds, among all frames
    Vec3 to_P;                     ///< from that frame's origin, in its axes
    Mat3 base_K;                   ///< K of the joint's base body, in whose axes the joint's coordinates are given
  };

  HingedTree(const SystemView&, const LoopClosure&);

  /// For a link that hangs on a frame of a flexible body: the number of that frame in FlexibleLinks::attachment.
  std::size_t attachment(const Link& link) const { return static_cast<std::size_t>(link.inboard) - links.size(); }
  /// The reverse: the index of such a frame in arrays that hold all bodies, then these frames.
  std::size_t index_of(std::size_t attachment) const { return links.size() + attachment; }

  std::vector<Link> links;
  std::vector<Inertia<double>> bodies;     ///< in their own axes
  std::vector<Frame> frames;
  std::vector<JointData> general_joints;
  std::vector<std::uint32_t> rotations;    ///< offsets of their coordinates
  std::size_t columns = 0, balls = 0, slots = 0;
  std::size_t most_modes = 0;              ///< of one flexible body
};

}  // namespace polyform
