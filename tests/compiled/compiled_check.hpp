// A model whose numbers are varied, for tests of compiled models.
#pragma once

#include <fmt/format.h>

#include <string>

namespace polyform::test {

/// A pendulum of two bars that stand askew, whose second has this mass and hangs at this distance.
inline std::string bars(double mass, double length) {
  return fmt::format(R"(polyform: 1
bodies:
  - {{name: a, mass: 1.5, center_of_mass: [0.4, 0.1, 0], inertia: {{xx: 0.02, yy: 0.1, zz: 0.11}}}}
  - {{name: b, position: [{1}, 0, 0], mass: {0}, center_of_mass: [0.3, 0, 0.1],
     inertia: {{xx: 0.02, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0.2]}}
  - {{name: k, type: revolute, base: a, moving: b, position: [{1}, 0, 0], axis: [0, 3, 4], initial: {{velocity: -2}}}}
)",
                     mass, length);
}

/// A slide along y that carries a body welded to it, which is turned by a quarter about z and pushes along its own x:
/// that is y, so that 2 kg accelerate at half of the force.
inline std::string welded_thruster(double force) {
  return fmt::format(R"(polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}},
     orientation: {{axis: [0, 0, 1], angle: 1.5707963267948966}}}}
joints:
  - {{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0]}}
  - {{name: w, type: fixed, base: a, moving: b, position: [0, 0, 0]}}
forces:
  - {{name: f, type: point-force, body: b, axes: body, force: [{0}, 0, 0]}}
)",
                     force);
}

/// A wheel of 0.3 m that stands upright at this height, by an axis in the axes of a body that is turned by 1 rad about
/// x and welded to a slide. Together they have 11 kg.
inline std::string welded_wheel(double height) {
  return fmt::format(R"(polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: a, position: [0, 0, {0}], mass: 10, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: wheel, position: [0, 0, {0}], mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}},
     orientation: {{axis: [1, 0, 0], angle: 1}}}}
joints:
  - {{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, {0}], axis: [0, 0, 1]}}
  - {{name: w, type: fixed, base: a, moving: wheel, position: [0, 0, {0}]}}
forces:
  - {{name: t, type: tyre, wheel: {{body: wheel}}, axis: [0, cos(1), -sin(1)], radius: 0.3,
     stiffness: 2e4, damping: 50}}
)",
                     height);
}

/// Welds one after the other, in both directions and to ground, all with turned axes; a hinge on a welded body; forces
/// in the axes of welded bodies and of none, also of several of a type of which some bodies are not welded.
inline std::string welded_chain(double force) {
  return fmt::format(R"(polyform: 1
bodies:
  - {{name: a, mass: 1.5, center_of_mass: [0.3, 0.1, 0], inertia: {{xx: 0.02, yy: 0.1, zz: 0.11}}}}
  - {{name: b, position: [0.6, 0, 0.1], mass: 0.7, center_of_mass: [0, 0.05, 0.1],
     inertia: {{xx: 0.03, yy: 0.02, zz: 0.04}}, orientation: {{axis: [1, 2, 3], angle: 1.1}}}}
  - {{name: c, position: [0.8, 0.2, 0], mass: 0.4, center_of_mass: [0.1, 0, 0],
     inertia: {{xx: 0.01, yy: 0.02, zz: 0.02}}, orientation: {{axis: [0, 1, -1], angle: -2}}}}
  - {{name: d, position: [1, 0.2, 0], mass: 0.6, center_of_mass: [0, 0, -0.2],
     inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}}, orientation: {{axis: [2, 0, 1], angle: 0.7}}}}
  - {{name: mast, position: [0, 1, 1], mass: 2, inertia: {{xx: 1, yy: 1, zz: 1}},
     orientation: {{axis: [1, 1, 0], angle: 0.8}}}}
joints:
  - {{name: j, type: spherical, base: ground, moving: a, position: [0, 0, 0], initial: {{velocity: [0.5, -0.2, 1]}}}}
  - {{name: w1, type: fixed, base: a, moving: b, position: [0.6, 0, 0.1]}}
  - {{name: w2, type: fixed, base: c, moving: b, position: [0.7, 0.1, 0]}}
  - {{name: k, type: revolute, base: c, moving: d, position: [1, 0.2, 0], axis: [0, 3, 4], initial: {{velocity: -2}}}}
  - {{name: w3, type: fixed, base: ground, moving: mast, position: [0, 1, 0.5]}}
forces:
  - {{name: f1, type: point-force, body: b, point: [0.1, 0, 0.2], axes: body, force: [{0}, 2, -1]}}
  - {{name: f2, type: point-force, body: c, point: [0, 0.3, 0], axes: body, force: [1, 0, 0.5]}}
  - {{name: f3, type: point-force, body: d, point: [0, 0, 0.1], axes: body, force: [0, 1, 0]}}
  - {{name: f4, type: point-force, body: c, point: [0.1, 0, 0], force: [0, 0, 3]}}
  - {{name: s, type: spring-damper, a: {{body: mast, point: [0.1, 0.2, 0]}}, b: {{body: c, point: [0, 0.1, 0]}},
     stiffness: 40, damping: 3}}
  - {{name: e, type: drag, at: {{body: c, point: [0, 0, 0.2]}}, area: 0.1, coefficient: 1.2, wind: [3, 0, 1]}}
)",
                     force);
}

}  // namespace polyform::test
