// A shape in the axes of another one.
#pragma once

#include "crossings.hpp"

namespace polyform::contact {

/// The frame of one shape seen from that of another one.
struct Seen {
  Seen(const PlacedShape& from, const PlacedShape& shape) noexcept
      : R(transpose_times(from.R, shape.R)), position(transpose_times(from.R, shape.position - from.position)) {}
  Vec3 point(const Vec3& p) const noexcept { return position + R * p; }
  Edge edge(const Edge& e) const noexcept {
    return {point(e.center), R * e.direction, e.half_length, {R * e.faces[0], R * e.faces[1]}};
  }
  Mat3 R;
  Vec3 position;
};

inline ContactPoint in_ground(const PlacedShape& frame, const ContactPoint& p) noexcept {
  ContactPoint out = p;
  out.normal = frame.R * p.normal;
  out.position = frame.position + frame.R * p.position;
  return out;
}

inline ContactPoint mirrored(ContactPoint p) noexcept {
  p.normal = -p.normal;
  return p;
}

inline Edge axis_in(const Seen& seen, double half_length) noexcept {
  return {seen.position, axis_of(seen.R), half_length};
}

}  // namespace polyform::contact
