// Equilibria and steady operating points.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A rod on a pin, drawn horizontal; angle: where it starts.
std::unique_ptr<host::System> rod(double angle, const std::string& forces = "[]") {
  return system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: rod, mass: 2, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.2, zz: 0.2}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1], initial: {{position: {}, velocity: 1}}}}
forces: {}
)",
                                      angle, forces));
}

host::Equilibrium search(const host::System& system, const Formulation& formulation,
                         host::EquilibriumRequest request = {}) {
  return host::find_equilibrium(system, maker(formulation), request);
}

}  // namespace

TEST_CASE("a pendulum released anywhere but upright comes to hang") {
  for (const double start : {0.0, 1.2, -3.0, M_PI / 2 + 1e-3}) {
    const auto system = rod(start);
    for (const Formulation* f : formulations_for(*system)) {
      INFO(f->name() << " from " << start);
      const host::Equilibrium found = search(*system, *f);
      CHECK(found.balanced);
      CHECK(std::cos(found.point.state.q[0] + M_PI / 2) == Approx(1).margin(1e-14));
      CHECK(std::sin(found.point.state.q[0] + M_PI / 2) == Approx(0).margin(1e-12));
      CHECK(found.point.state.v[0] == 0);
      CHECK(!linearize_at(*system, *f, found.point).modes.any(host::Mode::Trend::growing));
    }
  }
}

TEST_CASE("a pendulum placed upright stays there, and the point is unstable") {
  const auto system = rod(M_PI / 2);
  const Formulation& f = *formulations_for(*system).front();
  const host::Equilibrium found = search(*system, f);
  CHECK(found.balanced);
  CHECK(found.point.state.q[0] == Approx(M_PI / 2).margin(1e-12));
  CHECK(linearize_at(*system, f, found.point).modes.any(host::Mode::Trend::growing));
}

TEST_CASE("what weighs next to nothing is not balanced where nothing holds it") {
  for (const double gravity : {9.81, 1e-8}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, {}]
bodies: [{{name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.083, zz: 0.083}}}}]
joints:
  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0],
     initial: {{position: 2}}}}
)",
                                                     -gravity));
    host::EquilibriumRequest request;
    request.held = {"pin"};
    for (const Formulation* f : formulations_for(*system)) {
      INFO(f->name() << ", " << gravity << " m/s^2");
      const host::Equilibrium found = search(*system, *f, request);
      CHECK(!found.balanced);
      REQUIRE(found.unbalanced.size() == 1);
      CHECK(found.unbalanced[0].force == Approx(0.5 * gravity * std::cos(2)).epsilon(1e-6));
    }
  }
}

// A sampler holds its input at an equilibrium: the controller balances the weight at 20 q = 4.905 cos q, as without it.
TEST_CASE("an equilibrium with a sampled controller is that of the motion, in all solvers") {
  const auto system = system_from_text(
      "polyform: 1\nbodies:\n"
      "  - {name: b, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: j, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0]}\nsignals:\n"
      "  - {name: s, type: sampler, input: \"q(j)\", interval: 0.01}\n"
      "  - {name: twice, type: sampler, input: \"signal(s)\", interval: 0.02}\nforces:\n"
      "  - {name: f, type: joint-force, joint: j, effort: {expression: \"-10*signal(s) - 10*signal(twice)\"}}\n");
  double q = 0.2;
  for (int k = 0; k < 50; ++k) q = 9.81 * 0.5 * std::cos(q) / 20;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(std::string(formulation->name()));
    const host::Equilibrium found = search(*system, *formulation);
    CHECK(found.balanced);
    CHECK(found.point.state.q[0] == Approx(q).epsilon(1e-9));
  }
}

TEST_CASE("a motor is trimmed to hold a rod at a given angle") {
  const auto system = rod(0.3, "[{name: motor, type: joint-force, joint: pin, effort: 0}]");
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    host::EquilibriumRequest request;
    request.held = {"pin"};
    request.trimmed = host::select_inputs(host::input_fields(system->view(), 0), {"motor.effort"});
    const host::Equilibrium found = search(*system, *f, request);
    CHECK(found.balanced);
    CHECK(found.point.state.q[0] == 0.3);
    REQUIRE(found.point.offsets.size() == 1);
    CHECK(found.point.offsets[0] == Approx(2 * 9.81 * 0.5 * std::cos(0.3)).epsilon(1e-12));
  }
}

TEST_CASE("what falls is named with the force that nothing balances") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: a, mass: 3, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: slide, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
)");
  for (const Formulation* f : formulations_for(*system)) {
    const host::Equilibrium found = search(*system, *f);
    CHECK(!found.balanced);
    REQUIRE(found.unbalanced.size() == 1);
    CHECK(found.unbalanced[0].coordinate == "slide.v");
    CHECK(found.unbalanced[0].force == Approx(-3 * 9.81));
    CHECK(found.unbalanced[0].unit == "N");
  }
}

TEST_CASE("a loop settles under its weight where the potential energy is least") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/four_bar_rhombus.yaml");
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    const host::Equilibrium found = search(*system, *f);
    CHECK(found.balanced);
    CHECK(!linearize_at(*system, *f, found.point).modes.any(host::Mode::Trend::growing));
  }
}

TEST_CASE("the spring that a governor needs at a given speed is found") {
  // a mass on a turning slide: m W^2 (r + x) = k x
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: hub, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: ball, position: [0.5, 0, 0], mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 5}}
  - {name: slide, type: prismatic, base: hub, moving: ball, position: [0.5, 0, 0], axis: [1, 0, 0], initial: {position: 0.1, velocity: 0}}
forces:
  - {name: spring, type: joint-spring-damper, joint: slide, stiffness: 100}
)");
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    host::EquilibriumRequest request;
    request.steady = true;
    const host::Equilibrium free = search(*system, *f, request);
    CHECK(free.balanced);
    CHECK(free.point.state.q[1] == Approx(2 * 25 * 0.5 / (100 - 2 * 25)).epsilon(1e-11));
    request.held = {"slide"};
    request.trimmed = host::select_inputs(host::input_fields(system->view(), 0), {"spring.stiffness"});
    const host::Equilibrium held = search(*system, *f, request);
    CHECK(held.balanced);
    CHECK(100 + held.point.offsets[0] == Approx(2 * 25 * 0.6 / 0.1).epsilon(1e-11));
  }
}

namespace {

/// A rod that hangs on the given joints and constraints.
std::unique_ptr<host::System> hanging(const std::string& joints_and_constraints) {
  return system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: slide, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: rod, mass: 1.3, center_of_mass: [0, 0, -0.4], inertia: {xx: 0.07, yy: 0.07, zz: 0.01}}
)" + joints_and_constraints);
}
std::string moving_hinge(const std::string& turn, const std::string& shift) {
  return "joints:\n  - {name: rail, type: prismatic, base: ground, moving: slide, position: [0, 0, 0], axis: [1, 0, 0]}\n"
         "  - {name: hinge, type: moving-hinge, base: slide, moving: rod, position: [0, 0, 0], axis: [0, 1, 0], "
         "drive_axis: [0, 0, 1], turn: " +
         turn + ", shift: " + shift + ", initial: {position: 0.3}}\n";
}
std::string driven_slide(const std::string& motion) {
  return "joints:\n  - {name: rail, type: prismatic, base: ground, moving: slide, position: [0, 0, 0], axis: [1, 0, 0]}\n"
         "  - {name: pin, type: revolute, base: slide, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}\n"
         "constraints:\n  - {name: drive, type: prescribed-motion, joint: rail, motion: " +
         motion + "}\n";
}

}  // namespace

TEST_CASE("what is driven at the state of an equilibrium is told, by joint") {
  struct Case {
    std::string model, joint;
    bool moves, accelerates;
  };
  const Case cases[] = {{moving_hinge("{polynomial: [0, 2]}", "0"), "hinge", true, false},
                        {moving_hinge("{polynomial: [0, 0, 2]}", "0"), "hinge", false, true},
                        {moving_hinge("0.4", "{sine: {amplitude: 0.02, frequency: 3}}"), "hinge", true, false},
                        {moving_hinge("{constant: 0.4}", "{constant: 0.1}"), "", false, false},
                        {driven_slide("{polynomial: [0, 0.5]}"), "rail", true, false},
                        {driven_slide("{polynomial: [0, 0.5, 0.1]}"), "rail", true, true},
                        {driven_slide("{constant: 0}"), "", false, false},
                        {driven_slide("{ramp: {rate: 1, start: 2, end: 3}}"), "", false, false}};
  for (const Case& c : cases) {
    INFO(c.model);
    const auto system = hanging(c.model);
    for (const Formulation* f : formulations_for(*system)) {
      INFO(f->name());
      const host::Equilibrium found = search(*system, *f);
      CHECK(found.driven.size() == (c.joint.empty() ? 0 : 1));
      for (const host::Driven& d : found.driven) {
        CHECK(d.kind == "joint");
        CHECK(d.name == c.joint);
        CHECK(d.moves == c.moves);
        CHECK(d.accelerates == c.accelerates);
      }
    }
  }
}

// The moment of every spring balances the weight of all that hangs on it.
TEST_CASE("a rod of 3000 hinges settles by its solver's Newton matrix") {
  constexpr int n = 3000;
  constexpr double length = 1.0 / n, mass = 1.0 / n, stiffness = 10.0 * n, g = 9.81;
  std::string bodies, joints, forces;
  for (int i = 0; i < n; ++i) {
    bodies += fmt::format(
        "  - {{name: b{}, mass: {}, center_of_mass: [{}, 0, 0], inertia: {{xx: {}, yy: {}, zz: {}}}, position: [{}, 0, 0]}}\n",
        i, mass, length / 2, mass * length * length / 1200, mass * length * length / 12, mass * length * length / 12,
        i * length);
    joints +=
        fmt::format("  - {{name: j{}, type: revolute, base: {}, moving: b{}, position: [{}, 0, 0], axis: [0, 0, 1]}}\n",
                    i, i == 0 ? std::string("ground") : fmt::format("b{}", i - 1), i, i * length);
    forces += fmt::format("  - {{name: s{}, type: joint-spring-damper, joint: j{}, stiffness: {}, damping: {}}}\n", i,
                          i, stiffness, 1e-3 * stiffness);
  }
  const auto system = system_from_text("polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" +
                                       joints + "forces:\n" + forces);
  std::size_t tried = 0;
  for (const Formulation* f : formulations_for(*system)) {
    if (f->name() != "riccati" && f->name() != "reduced") continue;
    ++tried;
    INFO(f->name());
    const host::Equilibrium found = search(*system, *f);
    CHECK(found.balanced);
    CHECK(found.iterations < 20);
    CHECK(found.linear_states == 2 * n);
    std::vector<double> q(n), x(n + 1), centre(n);
    for (const JointData& joint : system->view().joints)
      q[std::stoul(std::string(joint.name.substr(1)))] = found.point.state.q[joint.q_offset];
    double angle = 0;
    for (std::size_t i = 0; i < n; ++i) {
      angle += q[i];
      centre[i] = x[i] + length / 2 * std::cos(angle);
      x[i + 1] = x[i] + length * std::cos(angle);
    }
    double moments = 0, worst = 0;
    for (std::size_t i = n; i-- > 0;) {
      moments += centre[i];
      const double weight = -g * mass * (moments - static_cast<double>(n - i) * x[i]);
      worst = std::max(worst, std::abs(stiffness * q[i] - weight));
    }
    CHECK(worst < 1e-10);  // of 4.9 N m
  }
  CHECK(tried == 2);
}

// The dense search ends at the digits of its differences, a thousand times what counts as balanced.
TEST_CASE("a vehicle on bushings of 1e7 N/m settles") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/vehicle_bushings.yaml");
  bool tried = false;
  for (const Formulation* f : formulations_for(*system)) {
    if (f->name() != "riccati") continue;
    tried = true;
    CHECK(search(*system, *f).balanced);
  }
  CHECK(tried);
}

// The weight hangs straight below its spring or cable, which is longer by m g / k; rounding of 0.8 m is 1e-16 m.
TEST_CASE("a weight on a stiff spring or cable that may turn comes to hang, however stiff it is") {
  const auto element = GENERATE(as<std::string>{},
                                "spring-damper, a: {body: ground, point: [0, 0, 0]}, b: {body: a, "
                                "point: [0, 0, 0]}",
                                "cable, points: [{body: ground, point: [0, 0, 0]}, {body: a, point: [0, 0, 0]}]");
  struct Start {
    double x, z;
  };
  for (const double stiffness : {1e3, 1e6, 1e7, 1e8})
    for (const Start start : {Start{0.1, -0.8}, Start{0.5, -0.6245}, Start{0.1, -0.5}, Start{1e-3, -0.8}}) {
      const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies: [{{name: a, mass: 1, position: [{0}, 0, {1}], inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}]
joints: [{{name: j, type: planar, base: ground, moving: a, position: [{0}, 0, {1}], axis: [0, 1, 0],
  axis2: [1, 0, 0]}}]
forces:
  - {{name: s, type: {2}, free_length: 0.8, stiffness: {3}, damping: 300}}
  - {{name: t, type: joint-spring-damper, joint: j, stiffness: [0, 0, 1]}}
)",
                                                       start.x, start.z, element, stiffness));
      const Formulation& f = *formulations_for(*system).front();
      INFO(element << ", " << stiffness << " N/m from " << start.x << ", " << start.z);
      const host::Equilibrium found = search(*system, f);
      CHECK(found.balanced);
      CHECK(found.iterations < 60);
      // Along x, and against z.
      CHECK(start.x + found.point.state.q[0] == Approx(0).margin(1e-8));
      CHECK(start.z - found.point.state.q[1] == Approx(-0.8 - 9.81 / stiffness).epsilon(1e-13));
    }
}

// The last spring carries one weight, the first one all; what holds a weight sideways is its load over the length, some
// 1e-8 of the stiffness. 6 bodies are found by dense matrices, 10 by the solver's own.
TEST_CASE("weights on stiff springs one below the other hang straight down") {
  constexpr double length = 0.1;
  const int count = GENERATE(6, 10);
  for (const double stiffness : {1e6, 1e9, 1e10}) {
    INFO(count << " bodies, " << stiffness << " N/m");
    std::string bodies, joints, forces;
    for (int i = 0; i < count; ++i) {
      const double along = length * (i + 1);
      bodies += fmt::format(
          "  - {{name: b{}, mass: 1, position: [{:.17g}, {:.17g}, {:.17g}], inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}\n",
          i, 0.13 * along, -0.33 * along, -0.935 * along);
      joints += fmt::format("  - {{name: j{0}, type: free, base: ground, moving: b{0}}}\n", i);
      forces += fmt::format(
          "  - {{name: s{0}, type: spring-damper, a: {{body: {1}}}, b: {{body: b{0}}}, free_length: {2}, "
          "stiffness: {3}}}\n",
          i, i == 0 ? "ground" : fmt::format("b{}", i - 1), length, stiffness);
    }
    const auto system = system_from_text("polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies + "joints:\n" +
                                         joints + "forces:\n" + forces);
    for (const Formulation* f : formulations_for(*system)) {
      if (f->name() != "riccati" && f->name() != "cartesian") continue;
      INFO(f->name());
      const host::Equilibrium found = search(*system, *f);
      CHECK(found.balanced);
      double z = 0;
      for (int i = 0; i < count; ++i) {
        const double along = length * (i + 1);
        const double* const q = found.point.state.q.data() + 7 * i;
        z -= length + (count - i) * 9.81 / stiffness;
        CHECK(0.13 * along + q[0] == Approx(0).margin(1e-8));
        CHECK(-0.33 * along + q[1] == Approx(0).margin(1e-8));
        CHECK(-0.935 * along + q[2] == Approx(z).epsilon(1e-13));
      }
    }
  }
}

TEST_CASE("a weight that a slack cable does not hold is not said to rest") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies: [{name: a, mass: 1, position: [0, 0, -0.5], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}]
joints: [{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, -0.5], axis: [0, 0, 1]}]
forces: [{name: s, type: cable, points: [{body: ground, point: [0, 0, -1e4]}, {body: a, point: [0, 0, 0]}],
  free_length: 2e4, stiffness: 1e10}]
)");
  for (const Formulation* f : formulations_for(*system)) CHECK(!search(*system, *f).balanced);
}
