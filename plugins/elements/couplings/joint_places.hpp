// Where a coordinate of an attached joint stands among the numbers of an element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "polyform/contract/force.hpp"

namespace polyform::couplings {

/// Where a coordinate stands among the positions, and its rate among the velocities.
struct Place {
  std::size_t q = 0, v = 0;
};

/// The place of the first coordinate of a joint that is of this kind, a rotation or a translation. A code-defined joint
/// must have one position and one velocity: that is the coordinate. Nothing if the joint has no such coordinate.
inline std::optional<Place> place_of(const JointShape& shape, Primitive::Kind kind) noexcept {
  if (shape.code_defined) return shape.nq == 1 && shape.nv == 1 ? std::optional(Place{}) : std::nullopt;
  Place at;
  for (const Primitive& p : shape.primitives) {
    if (p.kind == kind) return at;
    at.q += position_count(p.kind);
    at.v += velocity_count(p.kind);
  }
  return std::nullopt;
}

/// All joints of a coupling are attached to one body, the housing, relative to which their coordinates count. Returns
/// the number of the first joint that has no body in common with all joints before it; if one body is common to all
/// joints, it returns how many there are.
inline std::size_t first_without_common_body(Strided<const JointShape> joints) noexcept {
  if (joints.empty()) return 0;
  BodyIndex first = joints[0].base, second = joints[0].moving;
  for (std::size_t k = 1; k < joints.size(); ++k) {
    const auto takes_part = [&](BodyIndex b) { return b == joints[k].base || b == joints[k].moving; };
    if (!takes_part(first)) first = second;
    if (!takes_part(second)) second = first;
    if (!takes_part(first)) return k;
  }
  return joints.size();
}

/// The number of the first joint whose base is another body than the base of joint 0; if all have the same base, how
/// many joints there are.
inline std::size_t first_on_other_base(Strided<const JointShape> joints) noexcept {
  std::size_t k = 1;
  while (k < joints.size() && joints[k].base == joints[0].base) ++k;
  return std::min(k, joints.size());
}

/// The place of the coordinate of attached joint `number`, among the coordinates of all joints of the instance. If a
/// joint is attached twice, the element reads its first place.
template <class JointOf>
Place place_among(const ElementInstance& instance, std::size_t number, Primitive::Kind kind, const JointOf& joint_of) {
  std::size_t first = 0;
  while (joint_of(first) != joint_of(number)) ++first;
  Place at = place_of(instance.joints[number], kind).value_or(Place{});
  for (std::size_t k = 0; k < first; ++k) {
    at.q += instance.joints[k].nq;
    at.v += instance.joints[k].nv;
  }
  return at;
}

}  // namespace polyform::couplings
