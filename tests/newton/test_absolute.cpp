// Newton's matrix in absolute coordinates.
#include <fmt/format.h>

#include "newton_check.hpp"

using namespace polyform::test;

namespace {

/// Spinning bodies on a ball, a pin and a slide, with a loop where it is closed.
std::string chain(double spin, const std::string& rest) {
  return fmt::format(R"(polyform: 1
name: chain
gravity: [1, -9.81, 2]
bodies:
  - {{name: a, position: [0, 0, 0], mass: 1, center_of_mass: [0.5, 0.1, 0], inertia: {{xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.02}}}}
  - {{name: b, position: [1, 0, 0], mass: 2, center_of_mass: [0.4, 0, 0.1], inertia: {{xx: 0.1, yy: 0.2, zz: 0.2}}}}
  - {{name: c, position: [2, 0, 0], mass: 1, center_of_mass: [0.3, 0, 0], inertia: {{xx: 0.1, yy: 0.2, zz: 0.3}}}}
joints:
  - {{name: ball, type: spherical, base: ground, moving: a, position: [0, 0, 0], initial: {{velocity: [{0}, 0, {0}]}}}}
  - {{name: pin, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0.6, 0.8], initial: {{velocity: {0}}}}}
  - {{name: slide, type: prismatic, base: b, moving: c, position: [2, 0, 0], axis: [0, 1, 0], initial: {{velocity: {0}}}}}
{1})",
                     spin, rest);
}

const std::string springs = R"(forces:
  - {name: hinge, type: joint-spring-damper, joint: pin, stiffness: 1e5, damping: 10}
  - {name: rail, type: joint-spring-damper, joint: slide, stiffness: 1e6, damping: 10}
  - {name: line, type: spring-damper, a: {body: a, point: [0.2, 0, 0.3]}, b: {body: c, point: [0.5, 0, 0]}, stiffness: 1e4, damping: 10}
  - {name: up, type: spring-damper, a: {body: ground, point: [2, 2, 0]}, b: {body: c, point: [0.5, 0, 0]}, stiffness: 1e4, damping: 10}
)";

}  // namespace

TEST_CASE("Newton's matrix in absolute coordinates is that of differences") {
  const std::string formulation = GENERATE("cartesian", "hierarchy");
  INFO(formulation);
  NewtonCheck rest(chain(0, springs), formulation);
  CHECK(rest.residual(1e-4) < 1e-3);
  CHECK(rest.residual(0.01) < 1e-2);
  CHECK(rest.residual({0.01, 0.007}) < 1e-2);
  NewtonCheck spinning(chain(1, springs), formulation);
  CHECK(spinning.residual(1e-3) < 1e-2);
}

TEST_CASE("a body that spins freely is exactly in Newton's matrix") {
  NewtonCheck spinning(R"(polyform: 1
name: free
bodies:
  - {name: a, mass: 1, inertia: {xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.02}, angular_velocity: [3, 30, 10]}
joints:
  - {name: floating, type: free, base: ground, moving: a}
)",
                       "cartesian");
  CHECK(spinning.residual(0.01) < 1e-6);
  CHECK(spinning.residual({0.01, 0.007}) < 1e-6);
}
