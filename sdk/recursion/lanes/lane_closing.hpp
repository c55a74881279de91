// How much a state misses closed loops, and the coordinates of the joints that close them, in lanes: what
// LoopProjection reads of ClosingConstraints, for cut joints of one rotation, translation or ball, or of none.
#pragma once

#include "lane_kernels.hpp"

namespace polyform::lanes {

/// A cut joint at a state.
template <class T>
struct CutState {
  SpatialVector<T> missed;  ///< from the joint's nearest pose to the actual one: turn, to its square, and way
  SpatialVector<T> twist;   ///< the actual one
  T coordinate{};           ///< of the nearest pose
  Quaternion<T> ball;       ///< the same of a ball
};

/// hint: its coordinate, with sine and cosine of an angle. Marks lanes in which the angle is far from the hint.
template <class T>
CutState<T> cut_state(const Batch<T>& b, std::size_t c, const T& hint, const T& sine, const T& cosine, Mask<T>& bad) {
  const CutJoint& cut = b.cuts.joints[c];
  const Vector3<T>& axis = b.worlds.cut_places[c].axis;
  const CutMotion<T> m = cut_motion(b, c);
  CutState<T> out;
  out.twist = m.twist;
  Matrix3<T> turned = m.R;
  if (cut.kind == CutJoint::Kind::rotation) {
    // The angle about the axis that brings R closest to that rotation, as in joint_coordinates().
    const T s = dot(axis, antisymmetric(m.R)), cc = m.R.m[0] + m.R.m[4] + m.R.m[8] - dot(axis, m.R * axis);
    const T scale = T(1) / root_of(s * s + cc * cc);
    turned = times_transpose(m.R, axis_rotation(axis, scale * cc, scale * s));
    // Its difference from the hint is small: arcsin x by its series, which leaves 1e-19 at the largest x.
    const T x = scale * (s * cosine - cc * sine), z = x * x;
    bad |= not_greater(scale * (cc * cosine + s * sine), T(0.99995));
    out.coordinate = hint + x * (T(1) + z * (T(1.0 / 6) + z * (T(3.0 / 40) + z * T(15.0 / 336))));
  }
  if (cut.kind == CutJoint::Kind::translation) out.coordinate = dot(axis, m.p);
  if (cut.kind == CutJoint::Kind::ball) {
    out.ball = ball_turn(b, cut, m.R, bad);
    out.missed = {{}, m.p};  // it leaves each turn free
    return out;
  }
  out.missed = {T(0.5) * antisymmetric(turned), m.p};
  return out;
}

/// The squares of the largest distance of a tied frame from the origin, and of its largest velocity
/// (ClosingConstraints).
template <class T>
struct TiedExtent {
  T size{}, speed{};
};
template <class T>
TiedExtent<T> tied_extent(const Room<T>& room, std::span<const FrameIndex> tied) {
  TiedExtent<T> out;
  for (const FrameIndex f : tied) {
    const FrameMotion<T>& m = room.frames[at(f)];
    out.size = greater_of(out.size, dot(m.p, m.p));
    out.speed = greater_of(out.speed, greater_of(dot(m.V.linear, m.V.linear), dot(m.V.angular, m.V.angular)));
  }
  return out;
}

/// What a state misses of the loops, after move(): by rows, of positions and of velocities. sines, cosines: of the
/// coordinates of the cut joints that are angles. put_coordinate: takes where a cut joint stands, with its place in y.
template <class T, class Put>
Mask<T> measure_loops(const Batch<T>& b, const T* sines, const T* cosines, T* missed, T* missed_rates,
                      const Put& put_coordinate) {
  Mask<T> bad{};
  const Loops<T>& loops = *b.room.loops;
  std::size_t turn = 0;
  for (std::size_t c = 0; c < b.cuts.count; ++c) {
    const CutJoint& cut = b.cuts.joints[c];
    const std::size_t place = b.cuts.place + cut.q_offset;
    T hint{}, sine{}, cosine{};
    if (cut.nv == 1) hint = b.y[place];
    if (cut.kind == CutJoint::Kind::rotation) {
      sine = sines[turn];
      cosine = cosines[turn++];
    }
    const CutState<T> state = cut_state(b, c, hint, sine, cosine, bad);
    const LoopTables::Loop& loop = loops.tables.loops[c];
    for (std::size_t r = 0; r < loop.rows; ++r) {
      missed[loop.first_row + r] = dot(loops.cuts[c].rows[r], state.missed);
      missed_rates[loop.first_row + r] = dot(loops.cuts[c].rows[r], state.twist);
    }
    if (cut.nv == 1) put_coordinate(place, state.coordinate);
    if (cut.kind == CutJoint::Kind::ball) {
      put_coordinate(place, state.ball.w);
      put_coordinate(place + 1, state.ball.x);
      put_coordinate(place + 2, state.ball.y);
      put_coordinate(place + 3, state.ball.z);
    }
  }
  return bad;
}

}  // namespace polyform::lanes
