// Motion of frames: bodies, and nodes of flexible bodies.
#pragma once

#include <span>

#include "polyform/contract/system_view.hpp"

namespace polyform {

/// Motion of a frame, ground axes. V: angular velocity, velocity of the frame origin.
struct BodyMotion {
  Mat3 R = Mat3::identity();
  Vec3 p;
  Spatial V;
};

namespace detail {
inline constexpr BodyMotion ground_motion{};
}

/// The motion of a body or of ground. bodies: the motions of all bodies.
inline const BodyMotion& motion_of(BodyIndex b, std::span<const BodyMotion> bodies) {
  return is_ground(b) ? detail::ground_motion : bodies[at(b)];
}
/// The motion of a frame or of ground. frames: the motions of all bodies, then of all nodes.
inline const BodyMotion& motion_of(FrameIndex f, std::span<const BodyMotion> frames) {
  return is_ground(f) ? detail::ground_motion : frames[at(f)];
}

}  // namespace polyform
