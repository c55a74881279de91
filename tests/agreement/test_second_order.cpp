// What solvers report about the positions and velocities in their states.
#include <catch2/catch.hpp>
#include <cmath>

#include "polyform/contract/second_order.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double untouched = 1234.5;

/// Checks rates at a state near the initial one.
void check_rates(const host::System& system, const Formulation& formulation, const SolverOptions& options = {}) {
  INFO(formulation.name());
  const host::SolverPointer solver = solver_for(system, formulation, options);
  auto* const second = ask<SecondOrderSystem>(*solver);
  REQUIRE(second != nullptr);
  const std::span<const StateKind> kinds = second->kinds();
  std::vector<double> y = initial_vector(system, *solver);
  REQUIRE(kinds.size() == y.size());
  std::vector<double> ydot(y.size()), rates(y.size(), untouched);
  REQUIRE(solver->derivative(0, y, ydot) == Status::ok);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += 1e-3 * ydot[i];
  Correction correction;
  REQUIRE(solver->correct(1e-3, y, correction) == Status::ok);
  REQUIRE(solver->derivative(1e-3, y, ydot) == Status::ok);
  REQUIRE(second->position_rates(1e-3, y, rates) == Status::ok);
  std::size_t velocities = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    INFO("number " << i);
    if (kinds[i] == StateKind::position)
      CHECK(std::abs(rates[i] - ydot[i]) <= 1e-12 * (1 + std::abs(ydot[i])));
    else
      CHECK(rates[i] == untouched);
    velocities += kinds[i] == StateKind::velocity ? 1 : 0;
  }
  CHECK(velocities >= 1);
}

}  // namespace

TEST_CASE("every solver tells positions from velocities, and gives their rates as its derivative does") {
  for (const char* model : {"heavy_top", "slider_crank", "governor", "free_body", "flexible_pendulum", "modal_frame",
                            "connected_joints", "rolling_disc", "prescribed_motion", "motor_arm", "bennett"}) {
    INFO(model);
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
    const auto formulations = formulations_for(*system);
    REQUIRE(!formulations.empty());
    for (const Formulation* formulation : formulations) check_rates(*system, *formulation);
  }
}

TEST_CASE("Euler angles are positions, with rates of their own") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/heavy_top.yaml");
  for (const Formulation* formulation : formulations_for(*system))
    if (formulation->name() == "thompson") check_rates(*system, *formulation, {{"angles", "zyx"}});
}
