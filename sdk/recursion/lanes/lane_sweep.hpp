// The sweeps of accelerations in lanes: HingeSweep, equation by equation, for any type of number. If a pivot is not
// plainly positive, the lane is marked and its result means nothing: the scalar sweep can do such cases.
#pragma once

#include "lane_loops.hpp"
#include "lane_modes.hpp"

namespace polyform::lanes {

/// Eqs. 24, 25 for one direction.
template <class T>
void prepare(const Transfer<T>& s, const PivotScale<T>& scale, Column<T>& column, const T& effort, Mask<T>& bad) {
  const SpatialVector<T>& H = column.H;
  column.U = multiply(s, H);
  const T size = dot(H.angular, H.angular) * scale.angular + dot(H.linear, H.linear) * scale.linear;
  const T d = dot(H, column.U);
  bad |= not_greater(d, T(smallest_pivot) * size);
  column.inverse = T(1) / d;
  column.free = effort - dot(H, s.e);
}

/// Adds what the acceleration gamma of P makes, Ω̃Ω̃ r: shift() then needs no angular velocity.
template <class T>
void add_turning(Transfer<T>& s, const Vector3<T>& gamma) {
  s.e.angular = add_product(s.e.angular, s.au, gamma);
  s.e.linear = add_product(s.e.linear, s.uu, gamma);
}
/// Does as shift_condensed() with that acceleration.
template <class T>
Transfer<T> shift_turned(Transfer<T>& s, const Column<T>& column, const Vector3<T>& r, const Vector3<T>& gamma) {
  add_turning(s, gamma);
  Transfer<T> t = shift(s, r);
  const Vector3<T>& u = column.U.linear;
  condense(t, Column<T>{{}, {add_cross(column.U.angular, r, u), u}, column.inverse, column.free - dot(u, gamma)});
  return t;
}

/// Eq. 10: eliminates all of a ball hinge at once, as eliminate_ball() does. What is left of uu and of the gain does
/// not wait for the division.
template <class T>
void pass_ball(Transfer<T>& s, TurningBall<T>& ball, const Vector3<T>& moment, Mask<T>& bad) {
  const Symmetric3<T>& j = s.aa;
  const Symmetric3<T> adjugate{j.yy * j.zz - j.yz * j.yz, j.xx * j.zz - j.xz * j.xz, j.xx * j.yy - j.xy * j.xy,
                               j.xz * j.yz - j.xy * j.zz, j.xy * j.yz - j.xz * j.yy, j.xy * j.xz - j.yz * j.xx};
  const T determinant = j.xx * adjugate.xx + j.xy * adjugate.xy + j.xz * adjugate.xz;
  const T trace = j.xx + j.yy + j.zz;
  bad |= not_greater(determinant, T(even_determinant) * trace * trace * trace);
  const T inverse = T(1) / determinant;
  const Vector3<T> torque = moment - s.e.angular;
  const Vector3<T> c0 = s.au.column(0), c1 = s.au.column(1), c2 = s.au.column(2);
  const T back = -inverse;
  const Vector3<T> g0 = adjugate * c0, g1 = adjugate * c1, g2 = adjugate * c2;
  ball.back = back;
  ball.gain = {{g0.x, g1.x, g2.x, g0.y, g1.y, g2.y, g0.z, g1.z, g2.z}};
  ball.free = inverse * (adjugate * torque);
  s.uu.xx += back * dot(c0, g0);
  s.uu.yy += back * dot(c1, g1);
  s.uu.zz += back * dot(c2, g2);
  s.uu.xy += back * dot(c0, g1);
  s.uu.xz += back * dot(c0, g2);
  s.uu.yz += back * dot(c1, g2);
  s.e.linear += transpose_times(s.au, ball.free);
  s.e.angular = moment;
}

/// Turns S and e of a body with everything outboard of it into those that its parent has at its own P.
template <Hinge kind, class T>
void pass(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room, std::size_t i, Transfer<T>& s,
          const Work<T>& in, Mask<T>& bad) {
  const Link& link = tree.links[i];
  const Vector3<T>& r = room.work[i].r;
  const Vector3<T> gamma = cross(in.omega, cross(in.omega, r));
  put(gamma, room.work[i].gamma);
  const auto effort = [&](std::uint32_t k) { return room.efforts != nullptr ? room.efforts[link.v + k] : T{}; };
  /// Passes the columns of loops through the hinge, after its directions.
  const auto pass_loops = [&](const Column<T>* hinge, const SpatialVector<T>& beta) {
    if (room.loops != nullptr && link.looped)
      room.loops->pass(i, hinge, link.count, beta, r, gamma, *worlds.ground,
                       is_on_frame(link) ? attachment_at(tree, link) : no_attachment);
  };
  if constexpr (kind == Hinge::fixed) {
    pass_loops(nullptr, {});
    if (link.parent >= 0) {
      add_turning(s, gamma);
      s = shift(s, r);
    }
  }
  if constexpr (kind == Hinge::ball) {
    Vector3<T> moment;
    if (room.efforts != nullptr) {
      const Vector3<T> local = transpose_times(worlds.frames[i].base_K, Vector3<T>{effort(0), effort(1), effort(2)});
      moment = link.reversed ? -(room.work[i].R * local) : in.R * local;
    }
    pass_ball(s, room.balls[link.first], moment, bad);
    s.e.linear = add_product(s.e.linear, s.uu, gamma);
    if (link.parent >= 0) s = shift_force(s, r);
  }
  if constexpr (kind == Hinge::rotation) {
    Single<T>& hinge = room.singles[link.first];
    s.e.angular = add_product(s.e.angular, s.aa, hinge.beta);
    s.e.linear = add_transpose_product(s.e.linear, s.au, hinge.beta);
    hinge.U = {s.aa * hinge.axis, transpose_times(s.au, hinge.axis)};
    const T d = dot(hinge.axis, hinge.U.angular);
    bad |= not_greater(d, T(smallest_pivot) * (s.aa.xx + s.aa.yy + s.aa.zz));
    hinge.inverse = T(1) / d;
    hinge.free = effort(0) - dot(hinge.axis, s.e.angular);
  }
  if constexpr (kind == Hinge::translation) {
    Single<T>& hinge = room.singles[link.first];
    s.e.angular = add_product(s.e.angular, s.au, hinge.beta);
    s.e.linear = add_product(s.e.linear, s.uu, hinge.beta);
    hinge.U = {s.au * hinge.axis, s.uu * hinge.axis};
    const T d = dot(hinge.axis, hinge.U.linear);
    bad |= not_greater(d, T(smallest_pivot) * (s.uu.xx + s.uu.yy + s.uu.zz));
    hinge.inverse = T(1) / d;
    hinge.free = effort(0) - dot(hinge.axis, s.e.linear);
  }
  if constexpr (kind == Hinge::rotation || kind == Hinge::translation) {
    const Single<T>& hinge = room.singles[link.first];
    if (room.loops != nullptr && link.looped) {
      const bool turns = kind == Hinge::rotation;
      const Column<T> column{turns ? SpatialVector<T>{hinge.axis, {}} : SpatialVector<T>{{}, hinge.axis}, hinge.U,
                             hinge.inverse, hinge.free};
      pass_loops(&column, turns ? SpatialVector<T>{hinge.beta, {}} : SpatialVector<T>{{}, hinge.beta});
    }
    if (link.parent >= 0) s = shift_turned(s, Column<T>{{}, hinge.U, hinge.inverse, hinge.free}, r, gamma);
  }
  if constexpr (kind == Hinge::general) {
    General<T>& hinge = room.general[link.place];
    s.e += multiply(s, hinge.beta);
    const PivotScale<T> scale(s);
    for (std::uint32_t k = link.count; k-- > 0;) {
      prepare(s, scale, hinge.columns[k], effort(k), bad);
      if (k > 0) condense(s, hinge.columns[k]);
    }
    pass_loops(hinge.columns, hinge.beta);
    if (link.parent >= 0 && link.count > 0) {
      s = shift_turned(s, hinge.columns[0], r, gamma);
    } else if (link.parent >= 0) {
      add_turning(s, gamma);
      s = shift(s, r);
    }
    // The parent of a free joint feels no inertia of what the joint carries: what elimination leaves of S is rounding.
    if (link.count == 6) s = {{}, {}, {}, s.e};
  }
}

/// A flexible body with all that hangs on its frames, which passes its own slot by. Loops through it then take their
/// part of its modes.
template <class T>
[[gnu::noinline]] void gather_flexible(const Tree& tree, const Room<T>& room, std::size_t i, Transfer<T>& s,
                                       Mask<T>& bad) {
  const std::size_t element = element_of(room.flexible->tree, i);
  condense_modes(*room.flexible, element, s, bad);
  if (room.loops != nullptr && tree.links[i].looped) room.loops->pass_modes(i, element);
}

/// Inward: S and e. Marks the lanes that the scalar sweep has to do.
template <class T>
[[gnu::flatten]] Mask<T> sweep_inward(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room) {
  Mask<T> bad{};
  if (carries_flexible && room.flexible != nullptr) {
    bad |= room.flexible->turned_far;
    begin_frames(*room.flexible, room.loads);
  }
  const Work<T> ground{Matrix3<T>::identity(), {}, {}, {}};
  Transfer<T> s;
  bool carries = false;
  for (std::size_t i = tree.count; i-- > 0;) {
    const Link& link = tree.links[i];
    const Work<T>& work = room.work[i];
    const Work<T>& in = link.inboard < 0 ? ground : room.work[link.inboard];
    if (!carries) s = {};
    if (link.slot >= 0) s += room.slots[link.slot];
    if (is_flexible(link)) {
      Transfer<T> whole;  // so that s itself can live in registers
      gather_flexible(tree, room, i, whole, bad);
      s = whole;
    } else {
      add_body(s, worlds.constants[i].body.turned(work.R), work.omega);
      if (room.loads != nullptr) s.e -= room.loads[i];
    }
    if (room.loops != nullptr && link.looped) {
      Transfer<T> sum = s;  // for the same reason
      room.loops->gather(i, sum, bad);
      s = sum;
    }
    switch (link.hinge) {
      case Hinge::fixed: pass<Hinge::fixed>(tree, worlds, room, i, s, in, bad); break;
      case Hinge::ball: pass<Hinge::ball>(tree, worlds, room, i, s, in, bad); break;
      case Hinge::rotation: pass<Hinge::rotation>(tree, worlds, room, i, s, in, bad); break;
      case Hinge::translation: pass<Hinge::translation>(tree, worlds, room, i, s, in, bad); break;
      case Hinge::general: pass<Hinge::general>(tree, worlds, room, i, s, in, bad); break;
    }
    if (is_on_frame(link)) room.flexible->frames[attachment_at(tree, link)].sum += s;
    carries = !is_on_frame(link) && link.parent >= 0 && static_cast<std::size_t>(link.parent) + 1 == i;
    if (carries || is_on_frame(link) || link.parent < 0) continue;
    Transfer<T>& slot = room.slots[tree.links[link.parent].slot];
    if (link.opens_slot)
      slot = s;
    else
      slot += s;
  }
  return bad;
}

/// Outward: z_b at P and the rates of the hinge.
template <Hinge kind, class T>
void find_rates(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room, std::size_t i, const Work<T>& in,
                const Rates<T>& out) {
  const Link& link = tree.links[i];
  const Work<T>& work = room.work[i];
  const std::size_t v = tree.nq + link.v;
  // Eq. 14: z_b of the parent's body at P. Element by element: GCC 12 copies what is copied whole by halves of a
  // register, and a register that is read where two halves were written waits for both to reach the cache.
  SpatialVector<T> z{};
  if (link.parent < 0) {
    put(*worlds.ground, z.linear);
  } else {
    put(room.z[link.inboard], z);
    z.linear = add_cross(z.linear + work.gamma, z.angular, work.r);
  }
  // Eq. 33: the rates, and z_b beyond the hinge.
  if constexpr (kind == Hinge::ball) {
    const TurningBall<T>& ball = room.balls[link.first];
    Vector3<T> before;
    put(z.angular, before);
    z.angular = ball.free + ball.back * (ball.gain * z.linear);
    Vector3<T> w = link.reversed ? transpose_times(work.R, before - z.angular - cross(work.omega, in.omega))
                                 : transpose_times(in.R, z.angular - before - cross(in.omega, work.omega));
    if (link.turned) w = worlds.frames[i].base_K * w;
    out.put(v, w.x);
    out.put(v + 1, w.y);
    out.put(v + 2, w.z);
  }
  if constexpr (kind == Hinge::rotation || kind == Hinge::translation) {
    const Single<T>& hinge = room.singles[link.first];
    T rate = hinge.inverse * (hinge.free - dot(hinge.U, z));
    if (room.loops != nullptr && link.looped) rate -= room.loops->rate(i, 0);
    out.put(v, rate);
    (kind == Hinge::rotation ? z.angular : z.linear) += rate * hinge.axis + hinge.beta;
  }
  if constexpr (kind == Hinge::general) {
    const General<T>& hinge = room.general[link.place];
    for (std::uint32_t k = 0; k < link.count; ++k) {
      T rate = hinge.columns[k].rate(z);
      if (room.loops != nullptr && link.looped) rate -= room.loops->rate(i, k);
      out.put(v + k, rate);
      z += rate * hinge.columns[k].H;
    }
    z += hinge.beta;
  }
  put(z, room.z[i]);
  if (room.loops != nullptr && link.looped) room.loops->close(i, room.z[i]);
}

template <class T>
[[gnu::flatten]] void sweep_outward(const Tree& tree, const Worlds<T>& worlds, const Room<T>& room,
                                    const Rates<T>& out) {
  const Work<T> ground{Matrix3<T>::identity(), {}, {}, {}};
  for (std::size_t i = 0; i < tree.count; ++i) {
    const Link& link = tree.links[i];
    const Work<T>& in = link.inboard < 0 ? ground : room.work[link.inboard];
    switch (link.hinge) {
      case Hinge::fixed: find_rates<Hinge::fixed>(tree, worlds, room, i, in, out); break;
      case Hinge::ball: find_rates<Hinge::ball>(tree, worlds, room, i, in, out); break;
      case Hinge::rotation: find_rates<Hinge::rotation>(tree, worlds, room, i, in, out); break;
      case Hinge::translation: find_rates<Hinge::translation>(tree, worlds, room, i, in, out); break;
      case Hinge::general: find_rates<Hinge::general>(tree, worlds, room, i, in, out); break;
    }
    if (is_flexible(link)) {
      const bool looped = room.loops != nullptr && link.looped;
      find_modal_rates(*room.flexible, element_of(room.flexible->tree, i), room.z, out,
                       [&](std::size_t k) { return looped ? room.loops->mode_rate(i, k) : T{}; });
    }
  }
}

}  // namespace polyform::lanes
