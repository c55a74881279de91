// Where a coordinate of an attached joint stands among the numbers of an element.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "polyform/contract/force.hpp"

namespace polyform::couplings {

struct Place {
  std::size_t q = 0, v = 0;
};

/// The first coordinate of a joint that is a rotation or a translation, as `kind` says. For a code-defined joint with a
/// single coordinate it is that one. Nothing if there is none whose rate is a velocity of the joint.
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

/// The first joint of an instance that has no body in common with all before it, or their number. What rolls, meshes or
/// lifts does so in a housing, which all joints of the coupling are attached to: relative to it the coordinates count.
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

/// The first joint of an instance that is based on another body than the first one, or the number of joints.
inline std::size_t first_on_other_base(Strided<const JointShape> joints) noexcept {
  std::size_t k = 1;
  while (k < joints.size() && joints[k].base == joints[0].base) ++k;
  return std::min(k, joints.size());
}

/// The place of attached joint `number` of an instance, among the numbers of all its joints. Where a joint is attached
/// twice its first numbers count.
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
