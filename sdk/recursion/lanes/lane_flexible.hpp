// Flexible bodies in lanes: FlexibleLinks and NodeMotions, equation by equation, for any type of number. The mass
// matrix and the force of a body come from the worlds themselves, between the two kernels. What the sweeps of rigid
// bodies call stays out of these (noinline), so that their numbers live in registers.
#pragma once

#include "lane_tree.hpp"

namespace polyform::lanes {

/// In place of a frame of a flexible body: none.
inline constexpr std::uint32_t no_attachment = static_cast<std::uint32_t>(-1);

/// A frame of a flexible body: FlexibleLinks::Attachment.
struct FlexibleFrame {
  std::uint32_t frame = 0;  ///< in Room::frames
  std::uint32_t element = 0;
  std::int32_t node = -1;     ///< its place among the nodes; none: the body frame
  std::uint32_t columns = 0;  ///< of B, one per mode
};
/// A flexible body: FlexibleLinks::Element.
struct FlexibleElement {
  std::uint32_t body = 0, modes = 0, mode = 0;
  std::uint32_t first = 0, end = 0;   ///< of its frames; the body frame is the first
  std::uint32_t carried = 0;          ///< the frame that the hinge holds
  std::uint32_t lower = 0;            ///< of its m × m numbers
  std::uint32_t mass = 0, force = 0;  ///< of its (6 + m)² and 6 + m numbers
};
/// The shapes at a node: where its numbers begin.
struct FlexiblePlace {
  std::uint32_t element = 0;
  std::uint32_t shapes = 0;   ///< Φu, then Φθ, then Γ, as in FlexibleNode
  std::uint32_t columns = 0;  ///< of H, one per mode
  bool has_second_order = false;
};
/// The same in all worlds.
struct FlexibleTree {
  const FlexibleElement* elements = nullptr;
  std::size_t count = 0;
  const FlexibleFrame* frames = nullptr;
  const FlexiblePlace* nodes = nullptr;
  std::size_t node_count = 0;
  std::size_t bodies = 0;                      ///< of the system: works of frames stand after those of bodies
  std::size_t eta = 0, modes = 0;              ///< where the modal coordinates begin in y; their rates follow them
  const std::uint32_t* attachments = nullptr;  ///< per frame of the system: its place among `frames`, or none
};

/// NodeMotion.
template <class T>
struct NodeWork {
  Matrix3<T> R;
  Vector3<T> p;
  SpatialVector<T> twist, bias;
};
/// What changes of a frame: FlexibleLinks::Attachment.
template <class T>
struct FrameWork {
  Matrix3<T> R;
  Vector3<T> omega, r;
  SpatialVector<T> beta;
  Transfer<T> sum;
};

/// The numbers of the worlds and the room for flexible bodies. Plain pointers, as in Room.
template <class T>
struct FlexibleRoom {
  FlexibleTree tree;
  Vector3<T>* points = nullptr;  ///< of nodes
  T* shapes = nullptr;
  T *mass = nullptr, *force = nullptr;  ///< FlexibleOutput of all bodies, from the worlds
  NodeWork<T>* nodes = nullptr;
  SpatialVector<T>* H = nullptr;
  FrameWork<T>* frames = nullptr;
  Matrix3<T>* R = nullptr;  ///< of the body frames
  Vector3<T>* omega = nullptr;
  SpatialVector<T>* B = nullptr;
  SpatialVector<T>* carried = nullptr;   ///< of one body: columns of the hinge point, one per mode
  SpatialVector<T>* coupling = nullptr;  ///< A_pm, one per mode
  T *lower = nullptr, *modal = nullptr;  ///< A_mm, then L and D; e_m
  Column<T>* directions = nullptr;
  T *eta = nullptr, *etadot = nullptr, *etaddot = nullptr;
  Mask<T> turned_far{};  ///< a node turns by more than the series below is good for
};

/// The number of the body that a link is; there is one.
inline std::size_t element_of(const FlexibleTree& tree, std::size_t body) {
  std::size_t i = 0;
  while (tree.elements[i].body != body) ++i;
  return i;
}

/// The place of a frame among those of flexible bodies; none of others. room: nullptr where there are none.
template <class T>
std::uint32_t attachment_of(const FlexibleRoom<T>* room, FrameIndex f) {
  return !carries_flexible || room == nullptr ? no_attachment : room->tree.attachments[at(f)];
}
/// The frame of a flexible body that holds this body's hinge: its place among these.
inline std::uint32_t attachment_at(const Tree& tree, const Link& link) {
  return static_cast<std::uint32_t>(static_cast<std::size_t>(link.inboard) - tree.count);
}

/// The frame that its hinge holds, in Room::frames.
inline std::size_t carried_frame(const FlexibleTree& tree, std::size_t element) {
  return tree.frames[tree.elements[element].carried].frame;
}

template <class T>
SpatialVector<T> shifted(const SpatialVector<T>& z, const Vector3<T>& r) {
  return {z.angular, add_cross(z.linear, z.angular, r)};
}
template <class T>
SpatialVector<T> referred(const SpatialVector<T>& w, const Vector3<T>& r) {
  return {add_cross(w.angular, r, w.linear), w.linear};
}
template <class T>
SpatialVector<T> turned(const Matrix3<T>& R, const SpatialVector<T>& a) {
  return {R * a.angular, R * a.linear};
}

/// Turns of nodes, rad, for which the series are good.
inline constexpr double largest_turn = 1;

/// Coefficients of the left Jacobian of a turn and their derivatives by the angle over it, by their series for turns of
/// less than one radian (sdk/mechanics/flexible_nodes.cpp).
template <class T>
struct TurnCoefficients {
  T a = T(0.5), b = T(1.0 / 6), da{}, db{};

  explicit TurnCoefficients(const T& squared) {
    double term = 1;
    T power = T(-1);
    for (int k = 1; k < 9; ++k) {
      const double n = 2 * k;
      term /= (n + 1) * (n + 2);
      if (k > 1) power = -(squared * power);
      const T in_a = T(term) * power, in_b = T(1 / (n + 3)) * in_a;
      a += T(0.5) * in_a * squared;
      b += T(0.5) * in_b * squared;
      da += T(0.5 * n) * in_a;
      db += T(0.5 * n) * in_b;
    }
  }
};

/// node_motion().
template <class T>
void move_node(const FlexibleRoom<T>& room, std::size_t i, Mask<T>& turned_far) {
  const FlexiblePlace& place = room.tree.nodes[i];
  const FlexibleElement& e = room.tree.elements[place.element];
  const std::size_t m = e.modes;
  const T *eta = room.eta + e.mode, *etadot = room.etadot + e.mode;
  const T *displacement = room.shapes + place.shapes, *rotation = displacement + 3 * m, *second = rotation + 3 * m;
  const auto column = [m](const T* of, std::size_t k) { return Vector3<T>{of[k], of[m + k], of[2 * m + k]}; };
  NodeWork<T>& out = room.nodes[i];
  SpatialVector<T>* H = room.H + place.columns;
  Vector3<T> theta, rate;
  out.p = room.points[i];
  out.twist = {};
  for (std::size_t k = 0; k < m; ++k) {
    const Vector3<T> turn = column(rotation, k), way = column(displacement, k);
    theta += eta[k] * turn;
    rate += etadot[k] * turn;
    out.p += eta[k] * way;
    out.twist.linear += etadot[k] * way;
  }
  const T squared = dot(theta, theta);
  turned_far |= not_greater(T(largest_turn * largest_turn), squared);
  const TurnCoefficients<T> c(squared);
  const auto left_jacobian = [&](const Vector3<T>& x) {
    const Vector3<T> across = cross(theta, x);
    return x + c.a * across + c.b * cross(theta, across);
  };
  // exp(θ) = 1 + (sin φ/φ) θ̃ + a θ̃θ̃ with sin φ/φ = 1 − φ² b and θ̃θ̃ = θ θᵀ − φ².
  const Vector3<T> s = (T(1) - squared * c.b) * theta, h = c.a * theta;
  const T cosine = T(1) - c.a * squared;
  out.R = {{cosine + h.x * theta.x, h.x * theta.y - s.z, h.x * theta.z + s.y, h.x * theta.y + s.z,
            cosine + h.y * theta.y, h.y * theta.z - s.x, h.x * theta.z - s.y, h.y * theta.z + s.x,
            cosine + h.z * theta.z}};
  const Vector3<T> across = cross(theta, rate);
  const T along = dot(theta, rate);
  out.twist.angular = left_jacobian(rate);
  out.bias = {(c.da * along) * across + (c.db * along) * cross(theta, across) + c.b * cross(rate, across), {}};
  for (std::size_t k = 0; k < m; ++k) H[k] = {left_jacobian(column(rotation, k)), column(displacement, k)};
  if (!place.has_second_order) return;
  for (std::size_t k = 0; k < m; ++k) {
    Vector3<T> by_eta, by_rate;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t l = 0; l < m; ++l) {
        by_eta[axis] += second[(axis * m + k) * m + l] * eta[l];
        by_rate[axis] += second[(axis * m + k) * m + l] * etadot[l];
      }
    out.p += (T(0.5) * eta[k]) * by_eta;
    out.twist.linear += etadot[k] * by_eta;
    out.bias.linear += etadot[k] * by_rate;
    H[k].linear += by_eta;
  }
}

/// The nodes of all bodies, and the rates of the modal coordinates.
template <class T>
[[gnu::noinline]] void move_nodes(FlexibleRoom<T>& room, const State<T>& y, const Rates<T>& rates) {
  const FlexibleTree& tree = room.tree;
  room.turned_far = {};
  for (std::size_t k = 0; k < tree.modes; ++k) {
    room.eta[k] = y[tree.eta + k];
    room.etadot[k] = y[tree.eta + tree.modes + k];
    rates.put(tree.eta + k, room.etadot[k]);
  }
  for (std::size_t i = 0; i < tree.node_count; ++i) move_node(room, i, room.turned_far);
}

/// The acceleration of a frame relative to the body frame, at η̈ = 0.
template <class T>
SpatialVector<T> bias_of(const FlexibleRoom<T>& room, const FlexibleFrame& f, const Matrix3<T>& R,
                         const Vector3<T>& omega) {
  if (f.node < 0) return {};
  const NodeWork<T>& n = room.nodes[f.node];
  const SpatialVector<T> bias = turned(R, n.bias), twist = turned(R, n.twist);
  return {bias.angular + cross(omega, twist.angular),
          bias.linear + cross(omega, cross(omega, R * n.p) + T(2) * twist.linear)};
}
/// What mode k moves of a frame relative to the body frame.
template <class T>
SpatialVector<T> column_of(const FlexibleRoom<T>& room, const FlexibleFrame& f, std::size_t k, const Matrix3<T>& R) {
  return f.node < 0 ? SpatialVector<T>{} : turned(R, room.H[room.tree.nodes[f.node].columns + k]);
}

/// FlexibleLinks::place(): all frames of a body from the carried one. frame: of the body's hinge. The works of frames
/// have the body's inside axes.
template <class T>
[[gnu::noinline]] void place_frames(const FlexibleRoom<T>& room, std::size_t element, const Frame<T>& frame,
                                    Work<T>* work) {
  const FlexibleTree& tree = room.tree;
  const FlexibleElement& e = tree.elements[element];
  const FlexibleFrame& carried = tree.frames[e.carried];
  const bool on_node = carried.node >= 0;
  const Matrix3<T> R_carried = times_transpose(work[e.body].R, frame.K);
  const Vector3<T> omega_carried = work[e.body].omega;
  const Matrix3<T> R = on_node ? times_transpose(R_carried, room.nodes[carried.node].R) : R_carried;
  const Vector3<T> omega = on_node ? omega_carried - R * room.nodes[carried.node].twist.angular : omega_carried;
  room.R[element] = R;
  room.omega[element] = omega;
  const Vector3<T> s = R_carried * frame.to_P;
  const Vector3<T> P = on_node ? R * room.nodes[carried.node].p + s : s;
  SpatialVector<T> gamma = shifted(bias_of(room, carried, R, omega), s);
  gamma.linear += cross(omega_carried, cross(omega_carried, s));
  for (std::size_t k = 0; k < e.modes; ++k) room.carried[k] = shifted(column_of(room, carried, k, R), s);
  for (std::size_t a = e.first; a < e.end; ++a) {
    const FlexibleFrame& f = tree.frames[a];
    FrameWork<T>& t = room.frames[a];
    const bool of_node = f.node >= 0;
    t.R = of_node ? R * room.nodes[f.node].R : R;
    t.omega = of_node ? omega + R * room.nodes[f.node].twist.angular : omega;
    t.r = of_node ? R * room.nodes[f.node].p - P : -P;
    t.beta = bias_of(room, f, R, omega) - shifted(gamma, t.r);
    SpatialVector<T>* B = room.B + f.columns;
    for (std::size_t k = 0; k < e.modes; ++k) B[k] = column_of(room, f, k, R) - shifted(room.carried[k], t.r);
    work[tree.bodies + a] = {t.R * frame.K, t.omega, {}, {}};
  }
}

/// NodeMotions::place_body(): motions of the body frame and of the nodes from that of the carried frame.
template <class T>
[[gnu::noinline]] void find_body_frames(const FlexibleRoom<T>& room, std::size_t element, FrameMotion<T>* motions) {
  const FlexibleTree& tree = room.tree;
  const FlexibleElement& e = tree.elements[element];
  const FlexibleFrame& carried = tree.frames[e.carried];
  FrameMotion<T>& body = motions[tree.frames[e.first].frame];
  if (carried.node >= 0) {
    const FrameMotion<T>& from = motions[carried.frame];
    const NodeWork<T>& n = room.nodes[carried.node];
    body.R = room.R[element];
    const Vector3<T> arm = body.R * n.p;
    body.p = from.p - arm;
    body.V.angular = room.omega[element];
    body.V.linear = from.V.linear - cross(body.V.angular, arm) - body.R * n.twist.linear;
  }
  for (std::size_t a = e.first + 1; a < e.end; ++a) {
    if (a == e.carried) continue;
    const NodeWork<T>& n = room.nodes[tree.frames[a].node];
    FrameMotion<T>& to = motions[tree.frames[a].frame];
    const Vector3<T> arm = body.R * n.p;
    to.R = room.frames[a].R;
    to.p = body.p + arm;
    to.V = {room.frames[a].omega, body.V.linear + cross(body.V.angular, arm) + body.R * n.twist.linear};
  }
}

}  // namespace polyform::lanes
