// The laws of a compliant contact: Hunt and Crossley along the normal, Brown and McPhee along the surface.
#pragma once

#include <algorithm>
#include <cmath>

#include "polyform/contract/spatial.hpp"

namespace polyform::contact {

/// The law of Hunt and Crossley has no smaller restitution: the damping that it needs grows like the inverse.
inline constexpr double least_restitution = 0.001;
/// While a contact moves faster than this part of the speed of its impact, it bounds the steps.
inline constexpr double moving = 0.1;

/// The damping of Hunt and Crossley (1975), F = k δⁿ (1 + λ δ̇), that gives two free bodies the restitution e. It is
/// the number x = λ v₀ for which a contact that begins with the speed v₀ ends with e v₀. The motion m δ̈ = −F has, for
/// every k, n and m,
///
///   x − ln(1 + x) = −e x − ln(1 − e x)
///
/// 0 < e <= 1; the approximation x = 3(1 − e)/2 holds next to e = 1 only.
inline double damping_number(double e) noexcept {
  if (e >= 1) return 0;
  const auto loss = [e](double x) { return (1 + e) * x - std::log1p(x) + std::log1p(-e * x); };
  // The function is positive next to 0, and −∞ where e x approaches 1; bisection finds the zero between them to
  // rounding.
  double low = 0, high = 1 / e;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (loss(middle) > 0 ? low : high) = middle;
  }
  return low;
}

/// The same law with a v₀ that follows from the present: the speed that the two bodies would have without the spring,
/// v₀² = δ̇² + 2 U/m, U being the energy of the spring. It needs no memory of how the contact began. With
/// δ̇ = v₀ c the motion m δ̈ = −k δⁿ max(0, 1 + x c) gives
///
///   d ln v₀/dc = x c²/(1 + x c (1 − c²))
///
/// from c = 1 to c = −1, or to −1/x where the force ends; so e does not depend on k, n, m and the speed either.
inline double restitution_without_memory(double x) noexcept {
  const double end = x > 1 ? -1 / x : -1, length = 1 - end;
  // Simpson's rule in w, c = end + length w⁴: next to the end the integrand varies within 1/x².
  constexpr int intervals = 2000;
  const double h = 1.0 / intervals;
  double sum = 0;
  for (int i = 0; i <= intervals; ++i) {
    const double w = h * i, cube = w * w * w, c = end + length * w * cube;
    const double weight = (i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2) * 4 * length * cube;
    sum += weight * x * c * c / (1 + x * c * (1 - c * c));
  }
  return -end * std::exp(-sum * h / 3);
}
/// The number x of that law for a restitution 0 < e <= 1, by bisection.
inline double damping_without_memory(double e) noexcept {
  if (e >= 1) return 0;
  double low = 0, high = 1;
  while (restitution_without_memory(high) > e) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (restitution_without_memory(middle) > e ? low : high) = middle;
  }
  return low;
}

/// Coulomb friction that is smooth through rest (Brown and McPhee 2016), as a coefficient over the sliding speed: it
/// rises from zero to `static_` at `speed` and falls to `dynamic` beyond.
struct Friction {
  double static_ = 0, dynamic = 0;
  double speed = 1;  ///< m/s

  bool acts() const noexcept { return static_ > 0 || dynamic > 0; }
  /// The coefficient divided by the sliding speed v, s/m: finite at rest.
  double per_speed(double v) const noexcept {
    const double s = v / speed;
    const double fall = 0.25 * s * s + 0.75;
    // tanh(4 s) / s; below 1e-4 its series.
    const double rise = s > 1e-4 ? std::tanh(4 * s) / s : 4 * (1 - 16 * s * s / 3);
    return (dynamic * rise + (static_ - dynamic) / (fall * fall)) / speed;
  }
};

/// The moment against rolling with an angular velocity of the first body over the second, N m: Coulomb's with a lever
/// in m, made smooth as its friction is. What turns by less than the friction's speed at `size`, m, creeps.
inline Vec3 against_rolling(const Friction& friction, double lever, double size, double normal_force,
                            const Vec3& normal, const Vec3& turning) noexcept {
  const Vec3 rolls = turning - dot(turning, normal) * normal;
  const Friction smooth{.static_ = lever, .dynamic = lever, .speed = friction.speed};
  return -(normal_force * size * smooth.per_speed(size * norm(rolls))) * rolls;
}

/// Friction by bristles (Canudas de Wit and others 1995, without its viscous part): z is their mean deflection, v the
/// sliding velocity, N the normal force and g(v) = μ_d + (μ_s − μ_d) exp(−(v/v_s)²).
///
///   ż = v − |v| z k/max(g N, μ_s N₀)        F = −(k z + c ż exp(−(v/v_s)²)), its size g N at most
///
/// Under a load below μ_s N bristles hold with z = F/k, and v is zero: nothing creeps. Without N₀, ż would be infinite
/// where a contact closes with a sliding speed. The damping is for what sticks: at high speeds a small lag of z behind
/// N would make it larger than Coulomb's friction (Olsson 1996 lets it fall with the speed, too).
struct Bristles {
  double stiffness = 0, damping = 0;  ///< k, N/m; c, N s/m

  struct Answer {
    Vec3 rate, force;  ///< of the deflection, m/s; on what slides with v, N
  };
  bool act() const noexcept { return stiffness > 0; }
  /// least: N₀, N. The bristles of bodies without mass, which have none, keep their deflection where N is zero.
  Answer answer(const Vec3& z, const Vec3& v, double normal, double least, const Friction& friction) const noexcept {
    const double speed = norm(v), s = speed / friction.speed, slow = std::exp(-s * s);
    const double most = (friction.dynamic + (friction.static_ - friction.dynamic) * slow) * normal;
    const double bends = std::max(most, friction.static_ * least);
    Answer answer;
    if (bends > 0) answer.rate = v - (speed * stiffness / bends) * z;
    const Vec3 held = stiffness * z + (damping * slow) * answer.rate;
    const double size = norm(held);
    answer.force = -(size > most ? most / size : 1) * held;
    return answer;
  }
};

}  // namespace polyform::contact
