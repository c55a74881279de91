// Newton's matrix with flexible bodies and constraint elements.
#include <fmt/format.h>

#include "newton_check.hpp"

using namespace polyform::test;

namespace {

constexpr std::complex<double> complex_gamma{0.001, 0.0007};

std::string model(const std::string& rest) { return "polyform: 1\nname: flexible\ngravity: [1, -9.81, 2]\n" + rest; }

/// A rigid arm on a pin, a beam on a ball at its end, and a weight on a pin at the tip of the beam.
std::string beam(double velocity, const std::string& boundary, const std::string& rest = "") {
  return model(fmt::format(
             R"(bodies:
  - {{name: arm, position: [0, 0, 0], mass: 1, center_of_mass: [0.5, 0.1, 0], inertia: {{xx: 0.1, yy: 0.2, zz: 0.2}}}}
  - {{name: beam, type: flexible-beam, position: [1, 0, 0], orientation: {{rpy: [0.3, 0.1, 0.2]}}, length: 1,
     linear_density: 1, bending_stiffness: 200, modes: 4, boundary: {1}, damping_ratio: 0.02, mass: 0.1,
     inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
  - {{name: weight, position: [1.975170330, 0.197676811, -0.099833417], mass: 0.2, center_of_mass: [0.1, 0, 0.05],
     inertia: {{xx: 0.01, yy: 0.02, zz: 0.02}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {{velocity: {0}}}}}
  - {{name: ball, type: spherical, base: arm, moving: beam, position: [1, 0, 0], initial: {{velocity: [{0}, 0, {0}]}}}}
  - {{name: tip, type: revolute, base: beam, moving: weight, position: [1.975170330, 0.197676811, -0.099833417],
     axis: [0, 0.6, 0.8], initial: {{velocity: {0}}}}}
)",
             velocity, boundary)) +
         rest;
}

/// Three sides of a square, beams on a pin, a ball and a pin; the last one held by a ball to the ground in a loop.
std::string sides_of_a_square(double velocity, bool is_loop) {
  const struct {
    const char *position, *yaw, *joint;
  } sides[] = {{"[0, 0, 0]", "0", "type: revolute, axis: [0, 0, 1]"},
               {"[1, 0, 0]", "1.5707963267948966", "type: spherical"},
               {"[1, 1, 0]", "3.141592653589793", "type: revolute, axis: [0, 1, 0]"}};
  std::string bodies = "bodies:\n", joints = "joints:\n";
  for (int i = 0; i < 3; ++i) {
    bodies += fmt::format(
        "  - {{name: beam{}, type: flexible-beam, position: {}, orientation: {{rpy: [0, 0, {}]}}, length: 1, "
        "linear_density: 1, bending_stiffness: 200, modes: 3, boundary: {}, damping_ratio: 0.02, mass: 0.1, "
        "inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}\n",
        i, sides[i].position, sides[i].yaw, i == 1 ? "free-free" : "clamped-free");
    joints += fmt::format("  - {{name: joint{0}, {1}, base: {2}, moving: beam{0}, position: {3}{4}}}\n", i,
                          sides[i].joint, i == 0 ? "ground" : fmt::format("beam{}", i - 1), sides[i].position,
                          i == 1 || is_loop ? "" : fmt::format(", initial: {{velocity: {}}}", velocity));
  }
  if (is_loop)
    joints += "  - {name: end, type: spherical, base: beam2, moving: ground, position: [0, 1, 0], cut: true}\n";
  return model(bodies + joints);
}

const std::string springs = R"(forces:
  - {name: line, type: spring-damper, a: {body: ground, point: [2, 2, 0]}, b: {body: beam, point: [1, 0, 0]},
     stiffness: 1e4, damping: 10}
  - {name: across, type: spring-damper, a: {body: arm, point: [0.2, 0, 0.3]}, b: {body: beam, point: [0.5, 0, 0]},
     stiffness: 1e4, damping: 10}
  - {name: hinge, type: joint-spring-damper, joint: tip, stiffness: 1e4, damping: 1}
)";

}  // namespace

TEST_CASE("Newton's matrix has the modes of flexible bodies") {
  const std::string formulation = GENERATE("riccati", "reduced");
  const std::string boundary = GENERATE("clamped-free", "pinned-pinned", "free-free");
  INFO(formulation << ", " << boundary);
  NewtonCheck free(beam(0, boundary), formulation);
  CHECK(free.residual(1e-3) < 1e-3);
  CHECK(free.residual(complex_gamma) < 1e-3);
  NewtonCheck held(beam(0.5, boundary, springs), formulation);
  CHECK(held.residual(1e-4) < 1e-3);
  CHECK(held.residual(1e-3) < 1e-2);
  CHECK(held.residual(complex_gamma) < 1e-2);
}

TEST_CASE("Newton's matrix has the rows of constraint elements") {
  const std::string formulation = GENERATE("riccati", "reduced");
  const std::string constraint = GENERATE(
      "  - {name: drive, type: prescribed-motion, joint: pin, motion: {sine: {amplitude: 1, frequency: 0.2}}}\n",
      "  - {name: gear, type: joint-coupling, joint: pin, other_joint: tip, coefficients: [0, 2]}\n");
  INFO(formulation << constraint);
  NewtonCheck check(beam(0, "clamped-free", "constraints:\n" + constraint + springs), formulation);
  CHECK(check.residual(1e-3) < 1e-2);
  CHECK(check.residual(complex_gamma) < 1e-2);
}

TEST_CASE("Newton's matrix has chains and loops of flexible bodies") {
  const std::string formulation = GENERATE("riccati", "reduced");
  const bool is_loop = GENERATE(false, true);
  INFO(formulation << (is_loop ? ", loop" : ", chain"));
  NewtonCheck free(sides_of_a_square(0, is_loop), formulation);
  CHECK(free.residual(1e-3) < 1e-3);
  CHECK(free.residual(complex_gamma) < (is_loop ? 1e-2 : 1e-3));
  if (is_loop) return;  // whose rates are not free
  NewtonCheck moving(sides_of_a_square(0.5, is_loop), formulation);
  CHECK(moving.residual(1e-4) < 1e-3);
  CHECK(moving.residual(1e-3) < 1e-2);
  CHECK(moving.residual(complex_gamma) < 1e-2);
}
