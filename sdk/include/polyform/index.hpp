// Distinct index types: a body is never taken for a joint.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polyform {

/// A body in SystemView::bodies; `ground` stands for the inertial frame.
enum class BodyIndex : std::int32_t { ground = -1 };
/// A joint in SystemView::joints; `none` where a thing belongs to no joint.
enum class JointIndex : std::int32_t { none = -1 };

constexpr bool is_ground(BodyIndex b) { return b == BodyIndex::ground; }
constexpr std::size_t at(BodyIndex b) { return static_cast<std::size_t>(b); }
constexpr std::size_t at(JointIndex j) { return static_cast<std::size_t>(j); }
constexpr BodyIndex body_index(std::size_t i) { return static_cast<BodyIndex>(static_cast<std::int32_t>(i)); }
constexpr JointIndex joint_index(std::size_t i) { return static_cast<JointIndex>(static_cast<std::int32_t>(i)); }

}  // namespace polyform
