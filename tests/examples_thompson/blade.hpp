// A hinged blade on a spring, on a hub that turns steadily.
#pragma once

#include <fmt/format.h>

#include <string>

namespace polyform::test::blade {

/// Hinge offset, speed, length from the hinge, second moment about it; mass and first moment of the uniform blade.
inline constexpr double e = 0.4, omega = 44.4, L = 4.51, I = 231.7, m = 3 * I / (L * L), S = m * L / 2;

/// One blade in vacuo on a hub so heavy that its speed stays: flap about −y, or lag about z; the blade points along x.
inline std::string model(bool flap, double stiffness, double angle, double rate) {
  return fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: hub, mass: 1, inertia: {{xx: 1.0e12, yy: 1.0e12, zz: 1.0e12}}}}
  - {{name: blade, position: [{0}, 0, 0], mass: {1}, center_of_mass: [{2}, 0, 0], inertia: {{xx: 0, yy: {3}, zz: {3}}}}}
joints:
  - {{name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {{velocity: {4}}}}}
  - {{name: hinge, type: revolute, base: hub, moving: blade, position: [{0}, 0, 0], axis: {5},
     initial: {{position: {6}, velocity: {7}}}}}
forces:
  - {{name: spring, type: joint-spring-damper, joint: hinge, stiffness: {8}}}
)",
                     e, m, L / 2, I - m * L * L / 4, omega, flap ? "[0, -1, 0]" : "[0, 0, 1]", angle, rate, stiffness);
}

}  // namespace polyform::test::blade
