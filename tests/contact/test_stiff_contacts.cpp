// Contacts that last nanoseconds: the crossing of their event costs nothing, and no step before them becomes shorter.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("the restitution of a very stiff contact is what was asked for, with every integrator") {
  struct Law {
    double stiffness, exponent;
  };
  // Contacts of 0.6 ms to 3 ns.
  for (const Law law : {Law{1e5, 1}, Law{1e14, 1}, Law{1e18, 1.5}})
    for (const double e : {0.3, 0.9}) {
      const auto system = system_from_text(fmt::format(
          "polyform: 1\ngravity: [0, 0, 0]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
          "  - {{name: ball, mass: 0.15, inertia: {{xx: 1, yy: 1, zz: 1}}, position: [0, 0, 5.1],\n"
          "     geometry: [{{type: sphere, radius: 0.1}}]}}\n"
          "joints:\n  - {{name: s, type: prismatic, base: ground, moving: ball, position: [0, 0, 0], axis: [0, 0, 1],\n"
          "     initial: {{velocity: -14.25}}}}\n"
          "forces:\n  - {{name: c, type: contact, a: ball, b: ground, stiffness: {}, exponent: {}, restitution: {}}}\n",
          law.stiffness, law.exponent, e));
      const Formulation& formulation = *formulations_for(*system).front();
      for (host::RunSettings s : settings_of_all_integrators(0.7, 1e-3)) {
        INFO(s.integrator.name() << " k " << law.stiffness << " n " << law.exponent << " e " << e);
        s.output_interval = 0.7;
        const Ended ended = run_to_end(*system, formulation, s);
        CHECK(ended.record.failure == "");
        CHECK(ended.velocities.back().z == Approx(14.25 * e).epsilon(s.integrator.fixed_step() ? 1e-3 : 1e-5));
        // A free flight takes no more steps because a contact is to come.
        CHECK(ended.record.steps < 3000);
      }
    }
}
