// An ellipsoid that rolls on a plane without sliding, by Newton's and Euler's equations written apart.
#pragma once

#include <cmath>

#include "polyform/contract/spatial.hpp"

namespace polyform::test {

/// In body axes: n is the direction up, ω the angular velocity; r goes from the mass centre, `below` under the middle
/// of the ellipsoid, to the point of contact. Rolling has v = r × ω, and with it J ω̇ = −ω × J ω + r × m (v̇ + ω × v + g
/// n).
struct RollingStone {
  Vec3 half_axes;
  double below, mass;
  Sym3 inertia;
  double gravity = 9.81;

  struct State {
    Vec3 n, w;
  };
  struct Rates {
    Vec3 n, w;
    Vec3 force;  ///< of the plane, N
  };
  Rates rates(const State& y) const {
    const auto squared = [this](const Vec3& v) {
      const Vec3& a = half_axes;
      return Vec3{a.x * a.x * v.x, a.y * a.y * v.y, a.z * a.z * v.z};
    };
    const double s = std::sqrt(dot(y.n, squared(y.n)));
    const Vec3 up = cross(y.n, y.w);
    const Vec3 r = (-1 / s) * squared(y.n) + Vec3{0, 0, below};
    const Vec3 turning = (-1 / s) * squared(up) + (dot(y.n, squared(up)) / (s * s * s)) * squared(y.n);
    const Vec3 known = cross(turning, y.w) + cross(y.w, cross(r, y.w));  // of the acceleration, without ω̇
    const Vec3 moment = mass * cross(r, known + gravity * y.n) - cross(y.w, inertia * y.w);
    // (J − m [r]²) ω̇ = moment
    const double rr = dot(r, r);
    const Sym3 J{inertia.xx + mass * (rr - r.x * r.x), inertia.yy + mass * (rr - r.y * r.y),
                 inertia.zz + mass * (rr - r.z * r.z), inertia.xy - mass * r.x * r.y,
                 inertia.xz - mass * r.x * r.z,        inertia.yz - mass * r.y * r.z};
    const Vec3 a{J.xx, J.xy, J.xz}, b{J.xy, J.yy, J.yz}, c{J.xz, J.yz, J.zz};
    const double determinant = dot(a, cross(b, c));
    const Vec3 w =
        (1 / determinant) * Vec3{dot(moment, cross(b, c)), dot(a, cross(moment, c)), dot(a, cross(b, moment))};
    return {up, w, mass * (known + cross(r, w) + gravity * y.n)};
  }
  /// Runge and Kutta's step of fourth order.
  State step(const State& y, double h) const {
    const auto moved = [&](const Rates& k, double t) { return State{y.n + t * k.n, y.w + t * k.w}; };
    const Rates k1 = rates(y), k2 = rates(moved(k1, h / 2)), k3 = rates(moved(k2, h / 2)), k4 = rates(moved(k3, h));
    return {y.n + (h / 6) * (k1.n + 2 * k2.n + 2 * k3.n + k4.n), y.w + (h / 6) * (k1.w + 2 * k2.w + 2 * k3.w + k4.w)};
  }
};

}  // namespace polyform::test
