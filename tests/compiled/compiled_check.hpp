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

}  // namespace polyform::test
