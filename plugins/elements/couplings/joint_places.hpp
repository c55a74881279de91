// Where a coordinate of an attached joint stands among the numbers of an element.
#pragma once

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

/// The same of attached joint `number` of an instance, among the numbers of all its joints. Where a joint is attached
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
