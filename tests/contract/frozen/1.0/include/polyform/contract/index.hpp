// Distinct index types: a body is never taken for a joint.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyform {

/// A body in SystemView::bodies; `ground` stands for the inertial frame.
enum class BodyIndex : std::int32_t { ground = -1 };
/// A joint in SystemView::joints; `none` where a thing belongs to no joint.
enum class JointIndex : std::int32_t { none = -1 };
/// A frame that joints and markers attach to: the body frames in the order of SystemView::bodies, then the nodes of
/// flexible bodies (SystemView::nodes).
enum class FrameIndex : std::int32_t { ground = -1 };

constexpr bool is_ground(BodyIndex b) { return b == BodyIndex::ground; }
constexpr bool is_ground(FrameIndex f) { return f == FrameIndex::ground; }
constexpr std::size_t at(BodyIndex b) { return static_cast<std::size_t>(b); }
constexpr std::size_t at(JointIndex j) { return static_cast<std::size_t>(j); }
constexpr std::size_t at(FrameIndex f) { return static_cast<std::size_t>(f); }
constexpr BodyIndex body_index(std::size_t i) { return static_cast<BodyIndex>(static_cast<std::int32_t>(i)); }
constexpr JointIndex joint_index(std::size_t i) { return static_cast<JointIndex>(static_cast<std::int32_t>(i)); }
constexpr FrameIndex frame_index(std::size_t i) { return static_cast<FrameIndex>(static_cast<std::int32_t>(i)); }
/// The body frame of a body, or ground.
constexpr FrameIndex frame_of(BodyIndex b) { return static_cast<FrameIndex>(b); }

}  // namespace polyform
