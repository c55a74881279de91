// Which coordinates of a joint have rates that are its velocities.
#pragma once

#include <cstddef>

#include "polyform/contract/force.hpp"

namespace polyform {

/// The place among a joint's q of the coordinate whose rate is velocity k; nq if there is none, as of a ball.
constexpr std::size_t position_of_rate(const JointShape& shape, std::size_t k) noexcept {
  if (shape.code_defined) return shape.nq == shape.nv ? k : shape.nq;
  std::size_t q = 0, v = 0;
  for (const Primitive& p : shape.primitives) {
    if (k < v + velocity_count(p.kind)) return p.kind == Primitive::Kind::ball ? shape.nq : q;
    q += position_count(p.kind);
    v += velocity_count(p.kind);
  }
  return shape.nq;
}

}  // namespace polyform
