// The levels that are shown, where masses, inertias, inductances and rows differ by orders of magnitude: no rank is
// judged by units.
#include <Eigen/Core>
#include <catch2/catch.hpp>

#include "polyform/contract/equation_matrices.hpp"
#include "polyform/contract/equations.hpp"
#include "tests/hierarchy/solver_with.hpp"

using namespace polyform;
using namespace polyform::test;
using Eigen::VectorXd;

namespace {

const char* const shown_by[] = {"udwadia-kalaba",      "square-root-free",  "orthogonal-complement",
                                "generalized-inverse", "oblique-projector", "orthonormalization"};

VectorXd shown(const host::System& system, Solver& solver, std::string_view name) {
  auto* matrices = ask<EquationMatrices>(solver);
  REQUIRE(matrices != nullptr);
  REQUIRE(matrices->form(0, system.initial_state()) == Status::ok);
  VectorXd last;
  for (std::size_t i = 0; i < matrices->matrices(); ++i)
    if (const auto m = matrices->matrix(i); m.name == name)
      last = Eigen::Map<const VectorXd>(m.values.data(), static_cast<Eigen::Index>(m.values.size()));
  return last;
}

}  // namespace

TEST_CASE("accelerations and multipliers that are shown do not depend on units or on large neighbours") {
  // Each with the places of some accelerations (six per body: angular, then of the mass centre) and their closed forms.
  struct Model {
    const char* text;
    std::vector<std::pair<Eigen::Index, double>> accelerations;
  };
  const Model models[] = {// A small body that flies: 1e-3 N m on 1e-5 kg m².
                          {R"(
polyform: 1
bodies: [{name: a, mass: 2, inertia: {xx: 1.0e-5, yy: 1.0e-5, zz: 1.0e-5}}]
joints: [{name: f, type: free, base: ground, moving: a}]
forces: [{name: t, type: point-force, body: a, moment: [0, 0, 1.0e-3], force: [0, 0, 0], point: [0, 0, 0], axes: ground}]
)",
                           {{2, 100}, {5, -9.81}}},
                          // A small wheel beside a rod without inertia about its axis.
                          {R"(
polyform: 1
bodies:
  - {name: wheel, mass: 0.01, inertia: {xx: 1.0e-6, yy: 1.0e-6, zz: 1.0e-6}}
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0, yy: 0.0833, zz: 0.0833}}
joints:
  - {name: f, type: revolute, base: ground, moving: wheel, axis: [0, 0, 1], position: [0, 0, 0]}
  - {name: r, type: revolute, base: ground, moving: rod, axis: [0, 1, 0], position: [0, 0, 0]}
forces: [{name: t, type: point-force, body: wheel, moment: [0, 0, 1.0e-4], force: [0, 0, 0], point: [0, 0, 0], axes: ground}]
)",
                           {{2, 100}, {7, 9.81 * 0.5 / (0.0833 + 0.25)}}},
                          // Ten grams on a slide of 1500 kg.
                          {R"(
polyform: 1
bodies:
  - {name: slide, mass: 1500, inertia: {xx: 100, yy: 100, zz: 100}}
  - {name: hand, mass: 0.01, center_of_mass: [0.02, 0, 0], inertia: {xx: 1.0e-7, yy: 1.0e-7, zz: 1.0e-7}}
joints:
  - {name: p, type: prismatic, base: ground, moving: slide, axis: [1, 0, 0], position: [0, 0, 0]}
  - {name: r, type: revolute, base: slide, moving: hand, axis: [0, 1, 0], position: [0, 0, 0]}
)",
                           {{7, 9.81 * 0.01 * 0.02 / (1e-7 + 0.01 * 0.02 * 0.02)}}}};
  for (const Model& model : models) {
    const auto system = system_from_text(model.text);
    for (const char* method : shown_by) {
      INFO(method << model.text);
      const auto solver = solver_with(*system, {{"method", method}});
      const VectorXd alpha = shown(*system, *solver, "alpha");
      for (const auto& [place, value] : model.accelerations) CHECK(alpha[place] == Approx(value).epsilon(1e-9));
    }
  }
}

TEST_CASE("a row scaled by a millionth is shown with its multiplier") {
  // A point on the plane y = 0 whose row asks for vz = -vx: both are half of the fall, γ = ±m g/2, λ = γ/1e-6.
  const auto system = system_from_text(R"yaml(
polyform: 1
bodies: [{name: a, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}]
joints: [{name: p, type: point-on-plane, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0]}]
constraints: [{name: n, type: formula-constraint, velocity: {expression: "1e-6*(vz(a) + vx(a))"}}]
)yaml");
  for (const char* method : shown_by) {
    INFO(method);
    const auto solver = solver_with(*system, {{"method", method}});
    const VectorXd alpha = shown(*system, *solver, "alpha"), lambda = shown(*system, *solver, "lambda");
    CHECK(alpha[3] == Approx(4.905).epsilon(1e-10));
    CHECK(alpha[5] == Approx(-4.905).epsilon(1e-10));
    CHECK(lambda[lambda.size() - 1] == Approx(4.905e6).epsilon(1e-9));
  }
}

TEST_CASE("motors in a leg are shown with the rates that their level's equations have") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: u, mass: 1.2, center_of_mass: [0.25, 0, 0], inertia: {xx: 0.001, yy: 0.025, zz: 0.025}}
  - {name: l, position: [0.5, 0, 0], mass: 0.8, center_of_mass: [0.2, 0, 0], inertia: {xx: 0.001, yy: 0.012, zz: 0.012}}
  - {name: e, position: [0.9, 0, 0], mass: 0.3, center_of_mass: [0.05, 0, 0], inertia: {xx: 0.0001, yy: 0.001, zz: 0.001}}
joints:
  - {name: hip, type: revolute, base: ground, moving: u, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.4, velocity: 0.5}}
  - {name: knee, type: revolute, base: u, moving: l, position: [0.5, 0, 0], axis: [0, 0, 1], initial: {position: -0.9, velocity: -0.3}}
  - {name: wrist, type: revolute, base: l, moving: e, position: [0.9, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
modules:
  - {name: m1, type: dc-motor, joint: hip, voltage: 24, resistance: 1, inductance: 0.002, torque_constant: 0.05, rotor_inertia: 1.0e-5, gear_ratio: 50}
  - {name: m2, type: dc-motor, joint: knee, voltage: -12, resistance: 1, inductance: 0.002, torque_constant: 0.05, rotor_inertia: 1.0e-5, gear_ratio: 50}
subsystems:
  - {name: leg, bodies: [u, l]}
)");
  for (const char* method : shown_by)
    for (const char* level : {"2", "3"}) {
      INFO(method << ", level " << level);
      const auto solver = solver_with(*system, {{"method", method}, {"level", level}});
      const VectorXd alpha = shown(*system, *solver, "alpha");
      const auto found = observe(*system, *solver);
      // Per motor its current, speed and angle or as many as it has; the states' rates are those of the solver.
      const std::size_t variables = system->view().modules[0].type->variables().size();
      for (std::size_t k = 0; k < 2 * variables; ++k) {
        const double rate = found->now().state_rates[system->view().modules[0].state_offset + k];
        CHECK(alpha[static_cast<Eigen::Index>(18 + k)] == Approx(rate).epsilon(1e-9).margin(1e-9));
      }
    }
}
