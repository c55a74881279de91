// Runs that come to a point which they cannot pass: what is named there.
#include <fmt/format.h>

#include <cmath>

#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

#include <catch2/catch.hpp>

using namespace polyform;
using namespace polyform::test;

namespace {

using Catch::Matchers::Contains;

/// The end of a run of a model by one formulation, which has to fail.
host::RunRecord failed_run(const host::System& system, std::string_view formulation, std::string_view integrator) {
  for (const Formulation* f : formulations_for(system)) {
    if (f->name() != formulation) continue;
    const auto solver = solver_for(system, *f);
    host::RunSettings settings = run_settings(integrator);
    settings.duration = 2;
    settings.output_interval = 0.1;
    host::RunRecord record = host::simulate(system, *solver, settings, {}, {});
    CHECK(record.end == host::End::failed);
    return record;
  }
  FAIL("the formulation is not there");
  return {};
}

// A four-bar of crank 1 m, coupler and rocker 1.2 m and ground 2.5 m; its crank is at 60 degrees. The coupler and the
// rocker stand in one line, 2.4 m, where 1 + 6.25 − 5 cos θ = 5.76: θ = 1.26802 rad.
const char* four_bar = R"(polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.25, 0.4330127018922193, 0], inertia: {xx: 0.08, yy: 0.08, zz: 0.08}}
  - {name: coupler, position: [0.5, 0.8660254037844386, 0], mass: 1, inertia: {xx: 0.08, yy: 0.08, zz: 0.08}}
  - {name: rocker, position: [2.5, 0, 0], mass: 1, inertia: {xx: 0.08, yy: 0.08, zz: 0.08}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: B, type: revolute, base: crank, moving: coupler, position: [0.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: rocker, position: [2.5, 0, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: rocker, position: POINT, axis: [0, 0, 1], cut: true}
constraints:
  - {name: pulled, type: prescribed-motion, joint: A, motion: {polynomial: [0, 3]}}
)";

}  // namespace

TEST_CASE("next to a singular position the constraints that depend on each other are named, with a remedy") {
  // C is 1.2 m from B and from D, above their middle.
  const double dx = 2, dy = -0.8660254037844386, half = 0.5 * std::hypot(dx, dy);
  const double high = std::sqrt(1.44 - half * half) / (2 * half);
  std::string text = four_bar;
  text.replace(text.find("POINT"), 5,
               fmt::format("[{:.16g}, {:.16g}, 0]", 1.5 - high * dy, 0.4330127018922193 + high * dx));
  const auto system = system_from_text(text);
  const std::string formulation = GENERATE("riccati", "cartesian", "hierarchy", "particles", "thompson");
  for (const char* integrator : {"radau5", "cvode-bdf"}) {
    const host::RunRecord record = failed_run(*system, formulation, integrator);
    CAPTURE(formulation, integrator, record.failure);
    const double reach = (std::acos((1 + 6.25 - 5.76) / 5) - std::acos(0.5)) / 3;
    CHECK(record.time == Approx(reach).epsilon(0.01));
    CHECK_THAT(record.failure, Contains("joint `C`") && Contains("constraint `pulled`"));
    CHECK_THAT(record.remedy, Contains("a motion that is prescribed"));
  }
}

// The two constraints differ by 5e-4 all along and hold h and g at rest; the body a falls into the pole at t = π/√8 s.
TEST_CASE("rows that all but depend on each other at the start are not blamed for the stall of another body") {
  const auto system = system_from_text(R"M(polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, position: [1, 0, 0]}
  - {name: h, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, position: [3, 0, 0]}
  - {name: g, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, position: [4, 0, 0]}
joints:
  - {name: s, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: s2, type: prismatic, base: ground, moving: h, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: s3, type: prismatic, base: ground, moving: g, position: [0, 0, 0], axis: [1, 0, 0]}
forces:
  - {name: pole, type: central-gravity, body: a, center: {body: ground}, parameter: 1.0}
constraints:
  - {name: c1, type: formula-constraint, velocity: {expression: "v(s2) - v(s3)"}}
  - {name: c2, type: formula-constraint, velocity: {expression: "v(s2) - 1.0005*v(s3)"}}
)M");
  const std::string formulation = GENERATE("riccati", "cartesian", "hierarchy");
  for (const char* integrator : {"radau5", "cvode-bdf", "dopri5"}) {
    const host::RunRecord record = failed_run(*system, formulation, integrator);
    CAPTURE(formulation, integrator, record.failure, record.remedy);
    CHECK(record.time == Approx(M_PI / std::sqrt(8)).epsilon(1e-3));
    CHECK_THAT(record.failure, !Contains("c1") && !Contains("c2") && !Contains("singular"));
    if (integrator == std::string_view("radau5")) CHECK_THAT(record.failure, Contains("force `pole`"));
  }
}

// v² = 1 − t has no solution from t = 1 on: its row, whose factor is 2 v, vanishes there. The soft spring moves all the
// time.
TEST_CASE("where a constraint stalls a run it is named, and not a force that moves beside it") {
  const auto system = system_from_text(R"(polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: s, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],
     initial: {velocity: 1}}
  - {name: r, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0],
     initial: {position: 0.3}}
forces:
  - {name: soft, type: joint-spring-damper, joint: r, stiffness: 10, damping: 1}
constraints:
  - {name: slows, type: formula-constraint, velocity: {expression: "v(s)^2 + t - 1"
}
}
)");
  const std::string formulation = GENERATE("riccati", "cartesian", "hierarchy");
  for (const char* integrator : {"generalized-alpha", "radau5", "cvode-bdf", "dopri5"}) {
    const host::RunRecord record = failed_run(*system, formulation, integrator);
    CAPTURE(formulation, integrator, record.failure, record.remedy);
    CHECK(record.time == Approx(1).epsilon(1e-3));
    CHECK_THAT(record.failure, Contains("t = 1 s") && Contains("constraint `slows`") && !Contains("soft"));
    CHECK((record.failure + record.remedy).find("end ") != std::string::npos);
  }
}
