// Joints whose motion depends on time: all formulations agree, and the power is the rate of the energy.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/agreement/agreement.hpp"
#include "tests/rheonomic/models.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A screw whose lead grows with time, written by a third party with a kernel of its own; in a tree and in a loop.
std::string screws(const std::string& cut) {
  return R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: spindle, mass: 5, center_of_mass: [0.01, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.02}}
  - {name: slide, position: [0, 0, 0.2], mass: 3, center_of_mass: [0, 0.02, 0], inertia: {xx: 0.02, yy: 0.02, zz: 0.02}}
  - {name: nut, position: [1, 0, 0], mass: 2, center_of_mass: [0.1, 0, 0], inertia: {xx: 0.02, yy: 0.02, zz: 0.03}}
joints:
  - {name: bearing, type: revolute, base: ground, moving: spindle, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {velocity: 3}}
  - {name: guide, type: prismatic, base: ground, moving: slide, position: [0, 0, 0.2], axis: [0, 0, 1]}
  - {name: lead_screw, type: varilead, base: spindle, moving: slide, position: [0, 0, 0.2], axis: [0, 0, 1],
     lead: [0.02, 0.03, -0.01, 0.004])" +
         cut + R"(}
  - {name: screw, type: varilead, base: slide, moving: nut, position: [1, 0, 0], axis: [0, 1, 0], lead: [0.01, 0.2],
     initial: {position: 0.7, velocity: -2}}
)";
}

}  // namespace

TEST_CASE("the drive of a whirling rod has the power of its torque") {
  // Angular momentum about the drive: ω (A sin²θ + C cos²θ); its torque is the rate, the power ω times that.
  const auto system = system_from_text(whirling("{polynomial: [0, 3]}", "0"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const double A = Jx + mass * l * l;
    CHECK(require_power_balance(*system, *formulation) ==
          Approx(3 * 3 * 2 * (A - Jz) * std::sin(0.5) * std::cos(0.5) * 0.3).epsilon(1e-11));
  }
}

TEST_CASE("joints that depend on time agree in all formulations: in trees, reversed, in loops, with elements") {
  const std::string spring =
      "forces:\n  - {name: spring, type: joint-spring-damper, joint: hinge, stiffness: 3, damping: 0.2}\n";
  CHECK(require_agreement(whirling("{polynomial: [0.2, 3, 0.4]}", sine_shift, spring)) >= 6);
  for (const std::string& d :
       {"base: ground, moving: rocker, " + std::string(moved), "base: rocker, moving: ground, " + std::string(moved),
        "base: ground, moving: rocker, cut: true, " + std::string(moved),
        "base: rocker, moving: ground, cut: true, " + std::string(moved)}) {
    INFO(d);
    const std::string text = spatial_loop(d);
    CHECK(require_agreement(text) >= 6);
    const auto system = system_from_text(text);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name());
      require_power_balance(*system, *formulation);
    }
  }
}

TEST_CASE("a kernel with time agrees in all formulations, as tree joint and as cut joint") {
  for (const char* cut : {"", ", cut: true"}) {
    INFO(cut);
    CHECK(require_agreement(screws(cut)) >= 6);
    const auto system = system_from_text(screws(cut));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name());
      require_power_balance(*system, *formulation);
    }
  }
}
