// Hinges that only loops, couplings or modules give inertia: wherever the loop is cut, every formulation runs them.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr const char* nothing = "mass: 0, inertia: {xx: 0, yy: 0, zz: 0}";

/// Checks accelerations of joints with one coordinate in all six formulations.
void require_joint_accelerations(const std::string& text, const std::map<std::string, double>& expected) {
  const auto system = system_from_text(text);
  const std::vector<const Formulation*> formulations = formulations_for(*system);
  CHECK(formulations.size() >= 6);
  for (const Formulation* formulation : formulations) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    for (const JointData& one : system->view().joints)
      if (const auto found = expected.find(std::string(one.name)); found != expected.end()) {
        INFO(one.name);
        CHECK(store.now().acceleration[one.v_offset] == Approx(found->second).epsilon(1e-10).margin(1e-10));
      }
  }
}

std::string four_bar(const std::string& cut, const std::string& crank) {
  const auto joint = [&](const std::string& name, const std::string& rest) {
    return "  - {name: " + name + ", type: revolute, axis: [0, 0, 1], " + rest +
           (name == cut ? ", cut: true}\n" : "}\n");
  };
  return std::string("polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n  - {name: crank, ") + crank +
         "}\n  - {name: coupler, " + nothing +
         R"(, position: [0.2, 0.2, 0]}
  - {name: rocker, mass: 1, position: [0.9, 0, 0], center_of_mass: [0, 0.15, 0], inertia: {xx: 0.02, yy: 0.02, zz: 0.02}}
joints:
)" + joint("A", "base: ground, moving: crank, position: [0, 0, 0], initial: {velocity: 3}") +
         joint("B", "base: crank, moving: coupler, position: [0.2, 0.2, 0]") +
         joint("C", "base: coupler, moving: rocker, position: [0.9, 0.35, 0]") +
         joint("D", "base: ground, moving: rocker, position: [0.9, 0, 0]");
}

/// Accelerations of crank and rocker about z, by Lagrange with the massless coupler as a distance: unknowns α, β, λ.
std::pair<double, double> crank_and_rocker(double crank_inertia, double crank_moment) {
  // Pins at a = (0.2, 0.2) and b = (0.9, 0.35), d = b − a, turning about (0, 0) with 3 rad/s and about (0.9, 0) with w.
  const double ax = 0.2, ay = 0.2, bx = 0, by = 0.35, dx = 0.7, dy = 0.15, u = 3;
  // d · ḋ = 0 with ȧ = u (−ay, ax), ḃ = w (−by, bx).
  const double ka = -(dx * -ay + dy * ax), kb = dx * -by + dy * bx, w = -ka * u / kb;
  // d · d̈ + ḋ · ḋ = 0: ka α + kb β = rest.
  const double vx = w * -by + u * ay, vy = w * bx - u * ax;
  const double rest = -(vx * vx + vy * vy) - (dx * (-w * w * bx + u * u * ax) + dy * (-w * w * by + u * u * ay));
  // I α = M + ka λ, J β = N + kb λ; the rocker's centre is above its pin: no moment of its weight.
  const double rocker_inertia = 0.02 + 0.15 * 0.15;
  if (crank_inertia == 0) {  // then λ = 0 and the rocker moves the crank
    return {rest / ka, 0};
  }
  const double lambda =
      (rest - ka * crank_moment / crank_inertia) / (ka * ka / crank_inertia + kb * kb / rocker_inertia);
  return {(crank_moment + ka * lambda) / crank_inertia, kb * lambda / rocker_inertia};
}

}  // namespace

TEST_CASE("a coupler without mass runs wherever its loop is cut") {
  const auto [crank, rocker] = crank_and_rocker(0.01 + 0.02, -9.81 * 0.1);
  for (const char* cut : {"A", "B", "C", "D"}) {
    INFO("cut at " << cut);
    require_joint_accelerations(
        four_bar(cut, "mass: 1, center_of_mass: [0.1, 0.1, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}"),
        {{"A", crank}, {"D", rocker}});
  }
}

TEST_CASE("two links without mass in one loop take their inertia from the third") {
  const auto [crank, rocker] = crank_and_rocker(0, 0);
  for (const char* cut : {"B", "C", "D"}) {
    INFO("cut at " << cut);
    require_joint_accelerations(four_bar(cut, nothing), {{"A", crank}, {"D", rocker}});
  }
}

TEST_CASE("gears without mass take their inertia from the wheel that they drive") {
  // The torque 0.3 on the first of three: 0.3 (0.1/0.04) on a wheel of 0.002 kg m².
  const std::string gear = std::string(", ") + nothing + "}\n";
  require_joint_accelerations(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n  - {name: g1" + gear + "  - {name: g2" + gear +
          R"(  - {name: g3, position: [0.4, 0, 0], mass: 0.5, inertia: {xx: 0.001, yy: 0.001, zz: 0.002}}
joints:
  - {name: a, type: revolute, base: ground, moving: g1, position: [0.1, 0, 0], axis: [0, 0, 1]}
  - {name: b, type: revolute, base: ground, moving: g2, position: [0.2, 0, 0], axis: [0, 0, 1]}
  - {name: c, type: revolute, base: ground, moving: g3, position: [0.4, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: ab, type: gear, joint: a, other_joint: b, radius: 0.04, other_radius: 0.06}
  - {name: bc, type: gear, joint: b, other_joint: c, radius: 0.06, other_radius: 0.1}
forces:
  - {name: torque, type: joint-force, joint: a, effort: 0.3}
)",
      {{"a", 937.5}, {"b", -625}, {"c", 375}});
}

TEST_CASE("a link without mass turns the rotor of its module, and a gear beside it, alone") {
  // 0.9 / (2² 0.05 + (2/3)² 0.1).
  require_joint_accelerations(
      std::string("polyform: 1\nbodies:\n  - {name: a, ") + nothing + "}\n  - {name: b, " + nothing + R"(}
  - {name: c, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, position: [2, 0, 0]}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: jb, type: revolute, base: ground, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: jc, type: revolute, base: ground, moving: c, position: [2, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: shaft, type: geared-shaft, joint: ja, other_joint: jb, ratio: 2, other_ratio: 3, inertia: 0.05}
constraints:
  - {name: gears, type: gear, joint: jb, other_joint: jc, radius: 0.1, other_radius: 0.1}
forces:
  - {name: torque, type: joint-force, joint: ja, effort: 0.9}
)",
      {{"ja", 0.9 / (0.2 + 0.4 / 9)}, {"jc", -0.9 / (0.2 + 0.4 / 9) * 2 / 3}});
  require_joint_accelerations(std::string("polyform: 1\nbodies:\n  - {name: link, ") + nothing + R"(}
joints:
  - {name: pin, type: revolute, base: ground, moving: link, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: drive, type: rotor, joint: pin, inertia: 0.02, ratio: 3}
forces:
  - {name: torque, type: joint-force, joint: pin, effort: 0.9}
)",
                              {{"pin", 5}});
}

TEST_CASE("a nut without mass on an arm that swings takes its inertia from the spindle") {
  // J φ'' = 7 lead/2π with J = 2e-4 kg m² about the axis of the spindle; the arm feels no mass of the nut.
  const double per_turn = 0.05 / 6.283185307179586, turn = per_turn * 7 / 2e-4;
  require_joint_accelerations(
      std::string("polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n") +
          R"(  - {name: arm, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.05, zz: 0.05}}
  - {name: spindle, mass: 0.3, position: [0.1, 0, 0], inertia: {xx: 0.0002, yy: 0.001, zz: 0.001}}
  - {name: nut, position: [0.3, 0, 0], )" +
          nothing +
          R"(}
joints:
  - {name: pin, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
  - {name: turn, type: revolute, base: arm, moving: spindle, position: [0.1, 0, 0], axis: [1, 0, 0]}
  - {name: slide, type: prismatic, base: arm, moving: nut, position: [0.3, 0, 0], axis: [1, 0, 0]}
constraints:
  - {name: thread, type: screw-thread, slide: slide, turn: turn, lead: 0.05}
forces:
  - {name: push, type: joint-force, joint: slide, effort: 7}
)",
      {{"turn", turn},
       {"slide", per_turn * turn},
       {"pin", -9.81 * (2 * 0.3 + 0.3 * 0.1) / (0.05 + 2 * 0.09 + 0.001 + 0.3 * 0.01)}});
}

TEST_CASE("a wheel without mass follows a law or a drive, though nothing acts and nothing has inertia") {
  const std::string wheel = std::string("polyform: 1\nbodies:\n  - {name: wheel, ") + nothing + R"(}
joints:
  - {name: axle, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1]}
)";
  const std::string law = "  - {name: law, type: acceleration-law, joint: axle, acceleration: 2}\n";
  require_joint_accelerations(wheel + "modules:\n" + law, {{"axle", 2}});
  require_joint_accelerations(
      wheel + "modules:\n" + law + "forces:\n  - {name: torque, type: joint-force, joint: axle, effort: 0.9}\n",
      {{"axle", 2}});
  require_joint_accelerations(
      wheel +
          "constraints:\n  - {name: drive, type: prescribed-motion, joint: axle, motion: {polynomial: [0, 0, 1]}}\n",
      {{"axle", 2}});
}

// λ (2π/lead)² / m of the torque on a spindle without mass whose nut has m = 5 kg and a lead of 10 mm.
TEST_CASE("a spindle without mass takes its inertia from its nut, however small the lead") {
  const double lead = 0.01, per_turn = 2 * 3.14159265358979323846 / lead;
  require_joint_accelerations(std::string("polyform: 1\nbodies:\n  - {name: spindle, ") + nothing +
                                  R"(}
  - {name: nut, mass: 5, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: s, type: revolute, base: ground, moving: spindle, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: n, type: prismatic, base: ground, moving: nut, position: [0, 0, 0], axis: [1, 0, 0]}
constraints: [{name: thread, type: screw-thread, turn: s, slide: n, lead: 0.01}]
forces: [{name: m, type: joint-force, joint: s, effort: {constant: 1}}]
)",
                              {{"s", per_turn * per_turn / 5}, {"n", per_turn / 5}});
}

TEST_CASE("a driven joint turns a rotor of any inertia, though nothing acts at the start") {
  for (const double inertia : {0.01, 0.05, 0.1, 0.2, 1.0})
    require_joint_accelerations(
        "polyform: 1\nbodies: [{name: b, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}]\n"
        "joints: [{name: j, type: revolute, base: ground, moving: b, position: [0, 0, 0], "
        "axis: [0, 0, 1]}]\nconstraints: [{name: c, type: prescribed-motion, joint: j, "
        "motion: {expression: 0.3*sin(2*t)}}]\nmodules: [{name: r, type: rotor, joint: j, "
        "ratio: 2, inertia: " +
            std::to_string(inertia) + "}]\n",
        {{"j", 0}});
}

TEST_CASE("a body with moments of inertia and no mass that may slide freely is refused, beside a module too") {
  const auto system = system_from_text(R"(polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, center_of_mass: [0.3, 0, 0]}
  - {name: b, mass: 0, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, position: [1, 0, 0]}
joints:
  - {name: i, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: j, type: prismatic, base: a, moving: b, position: [1, 0, 0], axis: [1, 1, 0]}
modules: [{name: r, type: rotor, joint: i, inertia: 0.1}]
)");
  std::size_t tried = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    if (formulation->name() != "particles" && formulation->name() != "cartesian") continue;
    ++tried;
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    std::vector<double> y(solver->state_size());
    CHECK(solver->encode(system->initial_state(), y) == Status::failed);
    CHECK(std::string(solver->failure()).find("`b` has no mass or inertia") != std::string::npos);
  }
  CHECK(tried == 2);
}

TEST_CASE("of welded bodies the one with the mass is told of the inertia that they lack, not its frame") {
  // A wrist: the head is a point, and turns about the line to the wrist's centre without any inertia.
  const auto system = system_from_text(R"(polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: neck, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: head, mass: 1.3, center_of_mass: [0.02, -0.1, 0.01], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: imu, position: [0.02, 0.01, 0.1], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: pitch, type: revolute, base: ground, moving: neck, position: [0, 0, -0.3], axis: [0, 1, 0]}
  - {name: wrist, type: spherical, base: neck, moving: head, position: [0, 0, 0]}
  - {name: fastened, type: fixed, base: head, moving: imu, position: [0.02, 0.01, 0.1]}
)");
  std::size_t named = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    std::vector<double> y(solver->state_size()), rates(y.size());
    if (solver->encode(system->initial_state(), y) == Status::ok && solver->derivative(0, y, rates) == Status::ok)
      continue;
    const std::string said(solver->failure());
    INFO(said);
    CHECK(said.find("`imu`") == std::string::npos);
    named += said.find("`head`") != std::string::npos;
  }
  CHECK(named >= 2);
}
