#include "polyform/solvers/newton/tree_blocks.hpp"

namespace polyform {

TreeBlocks::TreeBlocks(const SystemView& view)
    : bodies(view.bodies.size()),
      M(bodies.size()),
      G(view.frames()),
      K(view.frames()),
      to_P(view.frames()),
      wrenches(view.frames()) {
  std::uint32_t square = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const JointData& joint = view.joints[i];
    Body& b = bodies[i];
    b.parent = static_cast<std::int32_t>(joint.inboard_frame());
    if (view.bodies[i].flexible != rigid) b.element = static_cast<std::uint32_t>(view.bodies[i].flexible);
    b.v = static_cast<std::uint32_t>(joint.v_offset);
    b.count = static_cast<std::uint32_t>(joint.nv);
    b.square = square;
    b.reversed = joint.reversed;
    square += b.count * b.count;
  }
  stiffness.resize(square);
  damping.resize(square);
  turn_rate.resize(square);
}

TreeBlocks::Pattern TreeBlocks::cut_pattern(const JointData& cut, std::span<const BodyMotion> frames,
                                            const Spatial& t) const noexcept {
  const ConstraintRow row =
      constraint_row(cut, motion_of(cut.base_frame, frames), motion_of(cut.moving_frame, frames), t);
  Pattern out;
  const auto put = [&](std::size_t k, FrameIndex f, const Spatial& w) {
    if (is_ground(f)) return;
    out.frame[k] = static_cast<std::uint32_t>(at(f));
    out.wrench[k] = {w.angular - cross(to_P[at(f)], w.linear), w.linear};
  };
  put(0, cut.base_frame, row.base);
  put(1, cut.moving_frame, row.moving);
  return out;
}

}  // namespace polyform
