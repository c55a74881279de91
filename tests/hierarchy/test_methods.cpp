// All ways to enforce constraints, on all ways to put a system together, give the same accelerations.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/elements/random.hpp"
#include "tests/hierarchy/solver_with.hpp"
#include "tests/support/random_model.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

namespace {

const char* const methods[] = {"udwadia-kalaba",     "square-root-free",    "orthogonal-complement",
                               "orthonormalization", "generalized-inverse", "oblique-projector"};

void require_equal_accelerations(const host::System& system) {
  const Formulation& reference = *registry().catalog().formulations.at("cartesian");
  const auto expected = observe(system, *solver_for(system, reference));
  for (const char* method : methods)
    for (const char* subsystems : {"automatic", "found", "flat"}) {
      INFO("method " << method << ", subsystems " << subsystems);
      const auto found = observe_with(system, {{"method", method}, {"subsystems", subsystems}});
      CHECK(difference(expected->now(), found->now()) < 1e-9);
    }
}

}  // namespace

TEST_CASE("all methods agree on random trees") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    require_equal_accelerations(*system_from_text(random_model({.seed = seed, .bodies = 9})));
  }
}

TEST_CASE("all methods agree on loops, with and without redundant constraints") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    require_equal_accelerations(*system_from_text(random_model(
        {.seed = seed, .bodies = 6, .loops = 1 + static_cast<int>(seed % 3), .loops_are_redundant = seed % 2 == 0})));
  }
}

TEST_CASE("all methods agree on the shipped mechanisms, overconstrained ones included") {
  for (const char* name : {"bennett", "bricard", "planar_3rrr", "planar_3rrr_subsystems", "four_bar_rhombus",
                           "ladder_1", "vehicle", "branch_pendulum"}) {
    INFO(name);
    require_equal_accelerations(*system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml"));
  }
}

TEST_CASE("all methods agree where bodies have no mass or no inertia") {
  const std::string cross = R"(
polyform: 1
bodies:
  - {name: cross, mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0.1], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: tail, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0.1], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: a, type: revolute, base: ground, moving: cross, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
  - {name: b, type: revolute, base: cross, moving: rod, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: -2}}
  - {name: c, type: spherical, base: rod, moving: tail, position: [1, 0, 0], initial: {velocity: [1, 2, 3]}}
)";
  // Thin rods in a row have, until they are held by ground, no inertia at all about their common axis.
  const std::string thin_rods = R"(
polyform: 1
gravity: [0, -9.81, 0]
chains:
  - {name: arm, count: 25, base: ground, start: [0, 0, 0], step: [0.2, 0, 0],
     body: {mass: 1, center_of_mass: [0.1, 0, 0], inertia: {xx: 0, yy: 0.01, zz: 0.01}},
     joint: {type: revolute, axis: [0, 0, 1]}}
)";
  const std::string massless_coupler = R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.1, yy: 0.01, zz: 0.1}}
  - {name: coupler, position: [0, 1, 0], mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: rocker, position: [2, 0, 0], mass: 1, center_of_mass: [0.2, 0.6, 0], inertia: {xx: 0.1, yy: 0.01, zz: 0.1}}
joints:
  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
  - {name: b, type: revolute, base: crank, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: c, type: revolute, base: coupler, moving: rocker, position: [2.2, 1.4, 0], axis: [0, 0, 1]}
  - {name: d, type: revolute, base: ground, moving: rocker, position: [2, 0, 0], axis: [0, 0, 1], cut: true}
)";
  for (const std::string& text : {cross, thin_rods, massless_coupler})
    require_equal_accelerations(*system_from_text(text));
}

TEST_CASE("rotors that have next to no inertia through their gears turn links without mass as by themselves") {
  // The rotor of `small` has 1e-11 kg m² at its joint, the other none; a second pin holds the links to each other.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: arm, mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: plate, position: [0.2, 0.1, 0], mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: bob, position: [1, 0, 0], mass: 0.7, center_of_mass: [0.1, 0, 0.3], inertia: {xx: 0.2, yy: 0.3, zz: 0.4}}
joints:
  - {name: A, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0.2, 0.1, 1]}
  - {name: B, type: revolute, base: arm, moving: plate, position: [0.2, 0.1, 0], axis: [1, 0.3, 0.2]}
  - {name: C, type: universal, base: ground, moving: bob, position: [1, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0]}
  - {name: D, type: revolute, base: arm, moving: plate, position: [0.9, -0.8, 0.5], axis: [0, 1, 0.4], cut: true}
modules:
  - {name: none, type: dc-motor, joint: B, voltage: -9, resistance: 0, inductance: 0.01, torque_constant: 1, current: 0.5}
  - {name: small, type: dc-motor, joint: A, voltage: 8, resistance: 1, inductance: 0.01, torque_constant: 0.06,
     gear_ratio: 0.001, rotor_inertia: 1.0e-5, current: -1.75}
)");
  const auto check = [](const Observation& o) {
    const double speed_rate = -0.06 * 1.75 / 1e-5;
    CHECK(o.state_rates[3] == Approx(speed_rate).epsilon(1e-10));
    CHECK(norm(o.bodies[0].angular_acceleration) == Approx(-speed_rate / 0.001).epsilon(1e-10));
  };
  check(observe(*system, *solver_for(*system, *registry().catalog().formulations.at("cartesian")))->now());
  for (const char* method : methods)
    for (const char* subsystems : {"automatic", "flat"}) {
      INFO("method " << method << ", subsystems " << subsystems);
      check(observe_with(*system, {{"method", method}, {"subsystems", subsystems}})->now());
    }
}

TEST_CASE("a singular mass matrix that the constraints do not make regular is diagnosed, with its bodies") {
  // A massless body at the tip, and one further out that hangs on it.
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0.1], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: bead, position: [1, 0, 0], mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: plate, position: [1, 0, 0], mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: a, type: spherical, base: ground, moving: rod, position: [0, 0, 0]}
  - {name: b, type: revolute, base: rod, moving: bead, position: [1, 0, 0], axis: [0, 1, 0]}
  - {name: c, type: fixed, base: bead, moving: plate, position: [1, 0, 0]}
)");
  for (const char* method : methods) {
    INFO("method " << method);
    const auto solver = solver_with(*system, {{"method", method}});
    std::vector<double> y(solver->state_size());
    REQUIRE(solver->encode(system->initial_state(), y) == Status::failed);
    const std::string failure(solver->failure());
    CHECK(failure.find("`bead`") != std::string::npos);
    CHECK(failure.find("`plate`") != std::string::npos);
    CHECK(failure.find("no mass or inertia for a motion that the constraints leave free") != std::string::npos);
  }
}

TEST_CASE("a body that spins without inertia is noticed in any position, by every method") {
  // A point mass, or a link without mass, between ball joints on a carrier that turns; closed to ground or not.
  Random random(4);
  const auto point = [&random] {
    const Vec3 p = random.vector(1);
    return fmt::format("[{}, {}, {}]", p.x, p.y, p.z);
  };
  for (int trial = 0; trial < 60; ++trial) {
    const bool link = trial % 2 == 0, closed = trial % 3 == 0;
    std::string model = "polyform: 1\nbodies:\n";
    const auto add_body = [&](const char* name, double mass, double inertia) {
      model += fmt::format("  - {{name: {0}, mass: {1}, position: {2}, inertia: {{xx: {3}, yy: {3}, zz: {3}}}}}\n",
                           name, mass, point(), inertia);
    };
    add_body("carrier", 1, 0.2);
    add_body("spinner", link ? 0 : 0.3, 0);
    if (link) add_body("load", 2, 0.1);
    model += "joints:\n";
    const auto add_joint = [&](const char* type, const char* base, const char* moving, const std::string& more = "") {
      model += fmt::format("  - {{name: {}_{}, type: {}, base: {}, moving: {}, position: {}{}}}\n", base, moving, type,
                           base, moving, point(), more);
    };
    add_joint("revolute", "ground", "carrier", ", axis: " + point());
    add_joint("spherical", "carrier", "spinner");
    if (link) add_joint("spherical", "spinner", "load");
    if (link && closed) add_joint("spherical", "ground", "load", ", cut: true");
    const auto system = system_from_text(model);
    for (const char* method : methods)
      for (const char* subsystems : {"found", "flat"}) {
        INFO(model << "method " << method << ", subsystems " << subsystems);
        const auto solver = solver_with(*system, {{"method", method}, {"subsystems", subsystems}});
        std::vector<double> y(solver->state_size());
        REQUIRE(solver->encode(system->initial_state(), y) == Status::failed);
        CHECK_THAT(std::string(solver->failure()), Contains("`spinner` has no mass or inertia for a motion"));
      }
  }
}

TEST_CASE(
    "all bodies that move without inertia are named at once, also where they have nothing to do with each other") {
  const auto arms = [](int count) {
    std::string bodies, joints;
    for (int k = 0; k < count; ++k) {
      const std::string name = "arm" + std::to_string(k), mass = k == 1 ? "1" : "0";
      bodies += "  - {name: " + name + ", mass: " + mass + ", inertia: {xx: " + mass + ", yy: " + mass +
                ", zz: " + mass + "}}\n";
      joints += "  - {name: pin" + std::to_string(k) + ", type: revolute, base: ground, moving: " + name +
                ", position: [0, 0, 0], axis: [0, 0, 1]}\n";
    }
    return system_from_text("polyform: 1\nbodies:\n" + bodies + "joints:\n" + joints);
  };
  const auto failure = [&](int count, const char* method) {
    const auto system = arms(count);
    const auto solver = solver_with(*system, {{"method", method}});
    std::vector<double> y(solver->state_size());
    REQUIRE(solver->encode(system->initial_state(), y) == Status::failed);
    return std::string(solver->failure());
  };
  for (const char* method : methods) {
    INFO("method " << method);
    CHECK_THAT(failure(4, method), Contains("Bodies ") && Contains("`arm0`") && Contains("`arm2`") &&
                                       Contains("`arm3`") && !Contains("`arm1`") && !Contains("others"));
    CHECK_THAT(failure(2000, method), Contains(" and others have no mass or inertia"));
  }
}

TEST_CASE("a module that moves without inertia is diagnosed as a module, beside the body it moves") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: link, mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: pin, type: revolute, base: ground, moving: link, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: motor, type: dc-motor, joint: pin, voltage: 5, resistance: 1, inductance: 0.1, torque_constant: 0.1,
     gear_ratio: 3}
)");
  const auto solver = solver_with(*system, {});
  std::vector<double> y(solver->state_size());
  REQUIRE(solver->encode(system->initial_state(), y) == Status::failed);
  CHECK(std::string(solver->failure()).find("Bodies and modules `link` and `motor` have no mass") != std::string::npos);
}

TEST_CASE("a body next to massless beside its neighbours does as in joint coordinates") {
  // Chains of four, open and closed, whose second body has t of the others' mass.
  const Formulation& reference = *registry().catalog().formulations.at("riccati");
  const Formulation& cartesian = *registry().catalog().formulations.at("cartesian");
  for (const bool closed : {false, true})
    for (const double t : {1e-4, 1e-9, 1e-10, 1e-12, 1e-16, 1e-20, 1e-30}) {
      std::string bodies, joints;
      for (int i = 0; i < 4; ++i) {
        const double w = i == 1 ? t : 1;
        bodies += fmt::format(
            "  - {{name: b{0}, position: [{0}, 0, 0], mass: {1}, center_of_mass: [0.5, 0.1, 0], "
            "inertia: {{xx: {2}, yy: {3}, zz: {3}}}}}\n",
            i, w, 0.01 * w, 0.09 * w);
        joints += fmt::format(
            "  - {{name: j{0}, type: revolute, base: {1}, moving: b{0}, position: [{0}, 0, 0], "
            "axis: [{2}, 0.2, 1]{3}}}\n",
            i, i == 0 ? "ground" : fmt::format("b{}", i - 1), 0.1 * i, closed ? "" : ", initial: {velocity: 0.5}");
      }
      if (closed)
        joints += "  - {name: c, type: spherical, base: ground, moving: b3, position: [4, 0.3, 0], cut: true}\n";
      const auto system =
          system_from_text("polyform: 1\ngravity: [0, -5, -8]\nbodies:\n" + bodies + "joints:\n" + joints);
      const auto expected = observe(*system, *solver_for(*system, reference));
      INFO("t = " << t << (closed ? ", closed" : ", open"));
      CHECK(difference(expected->now(), observe(*system, *solver_for(*system, cartesian))->now()) < 1e-9);
      for (const char* method : methods) {
        INFO("method " << method);
        CHECK(difference(expected->now(), observe_with(*system, {{"method", method}})->now()) < 1e-9);
      }
    }
}

TEST_CASE("reactions follow from what is left of the inertial forces, by every method") {
  // Joints whose reactions are unique: a tree.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 7}));
    const auto expected = observe(*system, *solver_for(*system, *registry().catalog().formulations.at("cartesian")));
    for (const char* method : methods) {
      INFO("seed " << seed << ", method " << method);
      const auto found = observe_with(*system, {{"method", method}});
      double worst = 0, scale = 1;
      for (std::size_t j = 0; j < system->view().joints.size(); ++j) {
        const Spatial &a = expected->now().reactions[j], &b = found->now().reactions[j];
        worst = std::max({worst, norm(a.linear - b.linear), norm(a.angular - b.angular)});
        scale = std::max({scale, norm(a.linear), norm(a.angular)});
      }
      CHECK(worst < 1e-9 * scale);
    }
  }
}

TEST_CASE("a massless body that slides on a carrier held by ground is refused and named") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.2, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.2}}
  - {name: slider, position: [0.5, 0.3, 0.1], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: pin, type: fixed, base: ground, moving: crank, position: [0, 0, 0]}
  - {name: slide, type: prismatic, base: crank, moving: slider, position: [0.3, 0.1, 0], axis: [0.3, 1, 0.2]}
)");
  for (const char* method : methods) {
    INFO("method " << method);
    const auto solver = solver_with(*system, {{"method", method}});
    std::vector<double> y(solver->state_size());
    REQUIRE(solver->encode(system->initial_state(), y) == Status::failed);
    CHECK(std::string(solver->failure()).find("Body `slider` has no mass") != std::string::npos);
  }
}

TEST_CASE("all methods agree on a light link between heavy bodies, beside a rotor with next to no inertia") {
  require_equal_accelerations(*system_from_text(R"(
polyform: 1
gravity: [1, -9, 3]
bodies:
  - {name: base, mass: 1.0e+6, center_of_mass: [0.2, 0, 0], inertia: {xx: 2.5e+4, yy: 2.75e+4, zz: 3.0e+4}}
  - {name: light, position: [0.5, 0, 0.1], mass: 1.0e-4, center_of_mass: [0.1, 0, 0],
     inertia: {xx: 9.0e-7, yy: 9.9e-7, zz: 1.08e-6}}
  - {name: load, position: [0.8, 0.2, 0], mass: 1.0e+6, center_of_mass: [0.3, 0, 0.1],
     inertia: {xx: 1.6e+4, yy: 1.76e+4, zz: 1.92e+4}}
joints:
  - {name: pin, type: revolute, base: ground, moving: base, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: elbow, type: revolute, base: base, moving: light, position: [0.5, 0, 0], axis: [0, 1, 0.2]}
  - {name: wrist, type: revolute, base: light, moving: load, position: [0.8, 0.1, 0], axis: [0.2, 0, 1]}
modules:
  - {name: motor, type: dc-motor, joint: wrist, voltage: 1.3, resistance: 1.6, inductance: 1.0e-3,
     torque_constant: 0.1, gear_ratio: 1, rotor_inertia: 1.0e-9, current: 1}
)"));
}
