// The outward sweep of kinematics in lanes: TreeMotion, equation by equation, on any number.
#pragma once

#include "lane_flexible.hpp"

namespace polyform::lanes {

template <class T>
Quaternion<T> read_quaternion(const State<T>& y, std::size_t q) {
  return {y[q], y[q + 1], y[q + 2], y[q + 3]};
}
template <class T>
Vector3<T> read_vector(const State<T>& y, std::size_t v) {
  return {y[v], y[v + 1], y[v + 2]};
}

/// out = a b, element by element to where it belongs: from a matrix of packs that is returned GCC 12 makes calls that
/// clear and copy it, which cost more than the product. out is neither a nor b.
template <class T>
[[gnu::always_inline]] inline void put_product(const Matrix3<T>& a, const Matrix3<T>& b, Matrix3<T>& out) {
  for (std::size_t i = 0; i < 3; ++i) {
    const T x = a.m[3 * i], y = a.m[3 * i + 1], z = a.m[3 * i + 2];
    for (std::size_t j = 0; j < 3; ++j) out.m[3 * i + j] = x * b.m[j] + y * b.m[3 + j] + z * b.m[6 + j];
  }
}
template <class T>
[[gnu::always_inline]] inline void put(const Matrix3<T>& from, Matrix3<T>& to) {
  for (std::size_t i = 0; i < 9; ++i) to.m[i] = from.m[i];
}

template <class T>
[[gnu::always_inline]] inline void put(const Vector3<T>& from, Vector3<T>& to) {
  to.x = from.x;
  to.y = from.y;
  to.z = from.z;
}
template <class T>
[[gnu::always_inline]] inline void put(const SpatialVector<T>& from, SpatialVector<T>& to) {
  put(from.angular, to.angular);
  put(from.linear, to.linear);
}

/// The rates of a quaternion at y[q], by the angular velocity at y[v].
template <class T>
void put_quaternion_rate(const State<T>& y, std::size_t q, std::size_t v, const Rates<T>& out) {
  const Quaternion<T> rate = quaternion_rate(read_quaternion(y, q), read_vector(y, v));
  out.put(q, rate.w);
  out.put(q + 1, rate.x);
  out.put(q + 2, rate.y);
  out.put(q + 3, rate.z);
}

/// Motion of M in F of a joint of primitives, and the rates of its coordinates, passed from F to M
/// (sdk/mechanics/kinematics.cpp has the reasons).
template <class T>
void find_motion(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room, const GeneralJoint& joint,
                 const State<T>& y, const Rates<T>& rates, Motion<T>& m) {
  const Link& link = tree.links[joint.body];
  std::size_t q = link.q, k = 0;
  const std::size_t v = tree.nq + link.v;
  Matrix3<T> R = Matrix3<T>::identity();
  Vector3<T> omega, alpha, acceleration;
  m.p_FM = {};
  for (std::uint32_t i = joint.first; i < joint.first + joint.count; ++i) {
    const GeneralPrimitive& primitive = tree.primitives[i];
    if (primitive.kind == Primitive::Kind::ball) {
      for (std::size_t j = 0; j < 3; ++j) m.H[k + j] = {R.column(j), {}};
      const Vector3<T> w = R * read_vector(y, v + k);
      alpha += cross(omega, w);
      omega += w;
      R = R * rotation_matrix(read_quaternion(y, q));
      put_quaternion_rate(y, q, v + k, rates);
      q += 4;
      k += 3;
      continue;
    }
    const Vector3<T> axis = R * worlds.axes[i];
    const T rate = y[v + k];
    rates.put(q, rate);
    if (primitive.kind == Primitive::Kind::rotation) {
      m.H[k] = {axis, {}};
      alpha += cross(omega, rate * axis);
      omega += rate * axis;
      R = R * axis_rotation(worlds.axes[i], room.cosines[primitive.angle], room.sines[primitive.angle]);
    } else {
      const Vector3<T> step = y[q] * axis;
      for (std::size_t j = 0; j < k; ++j) m.H[j].linear += cross(m.H[j].angular, step);
      m.H[k] = {{}, axis};
      acceleration += cross(alpha, step) + cross(omega, cross(omega, step)) + (T(2) * rate) * cross(omega, axis);
      m.p_FM += step;
    }
    ++q;
    ++k;
  }
  m.R_FM = R;
  m.bias = {alpha, acceleration};
  m.twist = {};
  for (std::size_t i = 0; i < k; ++i) m.twist += y[v + i] * m.H[i];
}

/// Orientation, angular velocity and hinge geometry of one body from its parent's, and the rates of its coordinates.
template <Hinge kind, class T>
void place(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room, std::size_t i, const Work<T>& in,
           const State<T>& y, const Rates<T>& rates) {
  const Link& link = tree.links[i];
  const Constants<T>& constants = worlds.constants[i];
  Work<T>& work = room.work[i];
  const std::size_t q = link.q, v = tree.nq + link.v;
  work.r = in.R * constants.lever;
  if constexpr (kind == Hinge::fixed) {
    put(in.R, work.R);
    work.omega = in.omega;
  }
  if constexpr (kind == Hinge::ball) {
    const T sign(link.reversed ? -1.0 : 1.0);
    put_quaternion_rate(y, q, v, rates);
    Quaternion<T> Q = read_quaternion(y, q);
    Q = {Q.w, sign * Q.x, sign * Q.y, sign * Q.z};
    Vector3<T> w = read_vector(y, v);
    if (link.turned) {
      const Matrix3<T>& K = worlds.frames[i].base_K;
      const Vector3<T> u = transpose_times(K, Vector3<T>{Q.x, Q.y, Q.z});
      Q = {Q.w, u.x, u.y, u.z};
      w = transpose_times(K, w);
    }
    put_product(in.R, rotation_matrix(Q), work.R);
    const Matrix3<T>& axes = link.reversed ? work.R : in.R;
    work.omega = in.omega + sign * (axes * w);
  }
  if constexpr (kind == Hinge::rotation) {
    const T sign(link.reversed ? -1.0 : 1.0);
    const Vector3<T> axis = sign * (in.R * constants.axis);
    const T rate = y[v];
    rates.put(q, rate);
    Single<T>& hinge = room.singles[link.first];
    put_product(in.R, axis_rotation(constants.axis, room.cosines[link.place], sign * room.sines[link.place]), work.R);
    work.omega = in.omega + rate * axis;
    hinge.axis = axis;
    hinge.beta = rate * cross(in.omega, axis);
  }
  if constexpr (kind == Hinge::translation) {
    const T sign(link.reversed ? -1.0 : 1.0);
    const Vector3<T> axis = sign * (in.R * constants.axis);
    Single<T>& hinge = room.singles[link.first];
    put(in.R, work.R);
    work.omega = in.omega;
    hinge.axis = axis;
    rates.put(q, y[v]);
    hinge.beta = (T(2) * y[v]) * cross(in.omega, axis);
    work.r += y[q] * axis;
  }
}

/// A hinge of several primitives, or code: its motion in F axes is there already.
template <class T>
void place_general(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room, std::size_t i, const Work<T>& in) {
  const Link& link = tree.links[i];
  const Motion<T>& m = room.motions[link.place];
  General<T>& hinge = room.general[link.place];
  const Matrix3<T>& base_K = worlds.frames[i].base_K;
  Work<T>& work = room.work[i];
  const Matrix3<T> across = transpose_times(base_K, m.R_FM * base_K);
  work.R = link.reversed ? times_transpose(in.R, across) : in.R * across;
  const Matrix3<T> R_F = times_transpose(link.reversed ? work.R : in.R, base_K);
  const Vector3<T> p = R_F * m.p_FM, turn = R_F * m.twist.angular, slide = R_F * m.twist.linear;
  work.omega = link.reversed ? in.omega - turn : in.omega + turn;
  const Vector3<T>&omega_F = link.reversed ? work.omega : in.omega, &omega_M = link.reversed ? in.omega : work.omega;
  SpatialVector<T> beta{cross(omega_F, turn) + R_F * m.bias.angular,
                        T(2) * cross(omega_F, slide) + R_F * m.bias.linear};
  work.r = in.R * worlds.constants[i].lever + (link.reversed ? -p : p);
  // Referred from the origin of M to P at d from it: −p for a joint that runs backwards.
  const Vector3<T> d = link.reversed ? -p : Vector3<T>{};
  beta.linear += cross(beta.angular, d) + cross(omega_M, cross(omega_M, d)) - cross(omega_F, cross(omega_F, d));
  const T sign(link.reversed ? -1.0 : 1.0);
  hinge.beta = sign * beta;
  hinge.slide = sign * (slide + cross(turn, d));
  for (std::uint32_t k = 0; k < link.count; ++k) {
    const Vector3<T> angular = R_F * m.H[k].angular;
    hinge.columns[k].H = sign * SpatialVector<T>{angular, R_F * m.H[k].linear + cross(angular, d)};
  }
}

/// After the angles' sines and cosines are there, and the motions of joints that are code. Writes q̇ too, but that of
/// joints that are code.
template <class T>
[[gnu::flatten]] void sweep_motion(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room, const State<T>& y,
                                   const Rates<T>& rates) {
  for (std::size_t j = 0; j < tree.general_count; ++j)
    if (!tree.general[j].is_code) find_motion(tree, worlds, room, tree.general[j], y, rates, room.motions[j]);
  const Work<T> ground{Matrix3<T>::identity(), {}, {}, {}};
  for (std::size_t i = 0; i < tree.count; ++i) {
    const Link& link = tree.links[i];
    const Work<T>& in = link.inboard < 0 ? ground : room.work[link.inboard];
    switch (link.hinge) {
      case Hinge::fixed: place<Hinge::fixed>(tree, worlds, room, i, in, y, rates); break;
      case Hinge::ball: place<Hinge::ball>(tree, worlds, room, i, in, y, rates); break;
      case Hinge::rotation: place<Hinge::rotation>(tree, worlds, room, i, in, y, rates); break;
      case Hinge::translation: place<Hinge::translation>(tree, worlds, room, i, in, y, rates); break;
      case Hinge::general: place_general(tree, worlds, room, i, in); break;
    }
    if (is_flexible(link))
      place_frames(*room.flexible, element_of(room.flexible->tree, i), worlds.frames[i], room.work);
  }
}

/// Motions of all bodies' frames, after sweep_motion().
template <class T>
[[gnu::flatten]] void find_frames(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room, const State<T>& y) {
  const FrameMotion<T> ground{Matrix3<T>::identity(), {}, {}};
  for (std::size_t i = 0; i < tree.count; ++i) {
    const Link& link = tree.links[i];
    const Work<T>& work = room.work[i];
    const FrameMotion<T>& in = link.frame < 0 ? ground : room.frames[link.frame];
    const std::size_t element = is_flexible(link) ? element_of(room.flexible->tree, i) : 0;
    FrameMotion<T>& out = room.frames[is_flexible(link) ? carried_frame(room.flexible->tree, element) : i];
    Vector3<T> in_to_P = work.r, slide;
    if (link.parent >= 0 && !is_on_frame(link)) in_to_P = in.R * worlds.frames[link.parent].to_P + work.r;
    if (link.hinge == Hinge::translation) slide = y[tree.nq + link.v] * room.singles[link.first].axis;
    if (link.hinge == Hinge::general) slide = room.general[link.place].slide;
    out.R = times_transpose(work.R, worlds.frames[i].K);
    const Vector3<T> to_P = out.R * worlds.frames[i].to_P;
    out.p = in.p + in_to_P - to_P;
    out.V.angular = work.omega;
    out.V.linear = in.V.linear + cross(in.V.angular, in_to_P) + slide - cross(work.omega, to_P);
    if (is_flexible(link)) find_body_frames(*room.flexible, element, room.frames);
  }
}

/// q̇ of the tree joints but those that are code, where no motion is wanted.
template <class T>
[[gnu::flatten]] void find_position_rates(const Tree& tree, const State<T>& y, const Rates<T>& out) {
  for (std::size_t i = 0; i < tree.count; ++i) {
    const Link& link = tree.links[i];
    std::size_t q = link.q, v = tree.nq + link.v;
    if (link.hinge == Hinge::ball) {
      put_quaternion_rate(y, q, v, out);
    } else if (link.hinge == Hinge::general) {
      const GeneralJoint& joint = tree.general[link.place];
      for (std::uint32_t k = joint.first; !joint.is_code && k < joint.first + joint.count; ++k) {
        const bool is_ball = tree.primitives[k].kind == Primitive::Kind::ball;
        if (is_ball)
          put_quaternion_rate(y, q, v, out);
        else
          out.put(q, y[v]);
        q += is_ball ? 4 : 1;
        v += is_ball ? 3 : 1;
      }
    } else if (link.hinge != Hinge::fixed) {
      out.put(q, y[v]);
    }
  }
}

}  // namespace polyform::lanes
