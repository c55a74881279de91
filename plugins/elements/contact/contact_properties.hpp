// What one contact is made of, from the fields of its instance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "contact_law.hpp"
#include "polyform/contract/force.hpp"

namespace polyform::contact {

/// 1/x, and 0 if x is not positive: of a body without mass.
inline double inverse(double x) noexcept { return x > 0 ? 1 / x : 0; }

struct Contact {
  double stiffness, exponent, damping_number;
  Friction friction;
  Bristles bristles;
  double rolling;     ///< lever of rolling resistance, m
  double size;        ///< of the smallest shape, m
  double half_width;  ///< of the narrowest shape, m
  double mass;
  double least_approach;            ///< slower ones count as this, m/s
  std::size_t first_pair, pairs;    ///< of shapes
  std::size_t first_point, points;  ///< among the points of the batch

  /// The spring at a penetration, N.
  double spring(double depth) const noexcept { return stiffness * std::pow(depth, exponent); }
  /// Its energy, J.
  double energy(double depth) const noexcept { return spring(depth) * depth / (exponent + 1); }
  /// The state of a contact that begins with a speed, m/s: above that of an open one, however slow it is.
  double begins_with(double speed) const noexcept {
    constexpr double above = 1 + 1e-12;
    return std::max(above * least_approach, speed);
  }
  bool has_begun(double approach) const noexcept { return approach > least_approach; }
  /// The penetration at which it takes up the kinetic energy of the approach, m.
  double depth_of(double approach) const noexcept {
    return std::pow(0.5 * mass * approach * approach * (exponent + 1) / stiffness, 1 / (exponent + 1));
  }
  /// Below this normal force bristles bend as under it, N: a small part of the largest one in the impact.
  double least_load(double approach) const noexcept {
    constexpr double part = 0.01;
    return part * spring(depth_of(approach));
  }
};

Contact contact_of(const ElementInstance&);

}  // namespace polyform::contact
