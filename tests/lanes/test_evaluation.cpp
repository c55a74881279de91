// Accelerations in lanes are those of the worlds' own solvers.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "lanes_check.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// What a batch gives for worlds of one system, each a little further on in its motion.
struct Outcome {
  bool carried = false;
  double difference = 0;   ///< largest, relative to the largest rate of its world
  std::size_t single = 0;  ///< evaluations that were left to the worlds' solvers
};

Outcome evaluate(const host::System& system, const Formulation& formulation) {
  const host::SolverPointer carrier = solver_for(system, formulation);
  auto* const batch = ask<BatchEvaluation>(*carrier);
  if (batch == nullptr) return {};
  const std::size_t lanes = batch->lanes(), n = batch->state_size();
  std::vector<host::SolverPointer> worlds;
  std::vector<double> t(lanes), y(n * lanes), ydot(n * lanes, NAN), power(lanes);
  std::vector<std::uint8_t> active(lanes, 1), done(lanes);
  Outcome outcome{true, 0, 0};
  for (std::size_t k = 0; k < lanes; ++k) {
    worlds.push_back(solver_for(system, formulation));
    REQUIRE(batch->set_world(k, *worlds[k]) == Status::ok);
    t[k] = 0.004 * static_cast<double>(k + 1);
    const std::vector<double> state = moved(system, *worlds[k], t[k]);
    for (std::size_t i = 0; i < n; ++i) y[i * lanes + k] = state[i];
  }
  BatchOutput out{.ydot = ydot, .power = power, .done = done};
  batch->evaluate({.t = t, .y = y, .active = active}, out);
  for (std::size_t k = 0; k < lanes; ++k) {
    REQUIRE(done[k] == 1);
    std::vector<double> state(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) state[i] = y[i * lanes + k];
    REQUIRE(worlds[k]->derivative(t[k], state, expected) == Status::ok);
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(expected[i] - ydot[i * lanes + k]));
    }
    outcome.difference = std::max(outcome.difference, largest > 0 ? difference / largest : difference);
  }
  outcome.single = batch->single_evaluations();
  return outcome;
}

}  // namespace

TEST_CASE("the solvers are of the build that the environment names, where the processor can run it") {
  const char* const wanted = std::getenv("POLYFORM_LANES_BUILD");
  if (wanted == nullptr) return;
  std::size_t found = 0;
  for (const host::PluginRecord& plugin : registry().plugins()) {
    if ((plugin.name != "riccati" && plugin.name != "reduced") || plugin.instruction_set != wanted) continue;
    ++found;
    INFO(plugin.file << ": " << plugin.explanation);
    if (plugin.status == host::PluginStatus::refused)
      WARN("this processor cannot run the build for " << wanted);
    else
      CHECK(plugin.status == host::PluginStatus::loaded);
  }
  CHECK(found == 2);
}

TEST_CASE("accelerations in lanes are those of single worlds on every shipped model that is carried") {
  const std::string formulation = GENERATE(as<std::string>(), "riccati", "reduced");
  std::size_t carried = 0, by_lanes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(POLYFORM_MODELS)) {
    const std::string name = entry.path().stem().string();
    // Large ones take their time and have the joints of the small ones.
    if (entry.path().extension() != ".yaml" || name.find("00") != std::string::npos) continue;
    INFO(name << " by " << formulation);
    const auto system = system_from_file(entry.path().string());
    const Formulation* const found = formulation_for(*system, formulation);
    if (found == nullptr) continue;
    const Outcome outcome = evaluate(*system, *found);
    if (!outcome.carried) continue;
    ++carried;
    by_lanes += outcome.single == 0 ? 1 : 0;
    INFO(outcome.difference << ", left to single solvers: " << outcome.single);
    CHECK(outcome.difference < 1e-12);
  }
  CHECK(carried >= 20);
  CHECK(by_lanes >= 20);
}

TEST_CASE("models with flexible bodies are carried in lanes") {
  const std::string formulation = GENERATE(as<std::string>(), "riccati", "reduced");
  // On pins, on nodes that carry further bodies, in closed loops, and from modal data.
  const std::string name = GENERATE(as<std::string>(), "flexible_pendulum", "four_link_flexible", "many_loops_flexible",
                                    "modal_frame", "stiff_beam");
  INFO(name << " by " << formulation);
  const auto system = system_from_file(model_file(name));
  const Formulation* const found = formulation_for(*system, formulation);
  REQUIRE(found != nullptr);
  const Outcome outcome = evaluate(*system, *found);
  INFO(outcome.difference << ", left to single solvers: " << outcome.single);
  CHECK(outcome.carried);
  CHECK(outcome.single == 0);
  CHECK(outcome.difference < 1e-12);
}

TEST_CASE("each lane has the numbers of the flexible bodies of its own world") {
  const std::string draws_in = GENERATE(as<std::string>(), "false", "true");
  std::vector<std::unique_ptr<host::System>> systems;
  std::vector<host::SolverPointer> worlds;
  const auto model = [&](std::size_t k) {
    const double share = 1 + 0.1 * static_cast<double>(k);
    return "polyform: 1\nname: two beams\ngravity: [0, -9.81, 0]\nbodies:\n"
           "  - {name: beam, type: flexible-beam, length: " +
           std::to_string(share) + ", linear_density: " + std::to_string(0.5 * share) +
           ", bending_stiffness: 8, modes: 2,\n"
           "     boundary: clamped-free, modal_position: [0.02, 0.001], geometric_stiffening: " +
           draws_in +
           ", mass: 1,\n"
           "     inertia: {xx: 0.02, yy: 0.02, zz: 0.02}}\n"
           "  - {name: tip, position: [" +
           std::to_string(share) + ", 0, 0], mass: " + std::to_string(0.2 * share) +
           ", center_of_mass: [0.1, 0, 0],\n     inertia: {xx: 0.001, yy: 0.002, zz: 0.002}}\n"
           "joints:\n"
           "  - {name: pin, type: revolute, base: ground, moving: beam, position: [0, 0, 0], axis: [0, 0, 1],\n"
           "     initial: {velocity: 1}}\n"
           "  - {name: joint, type: revolute, base: beam, moving: tip, position: [" +
           std::to_string(share) + ", 0, 0], axis: [0, 0, 1]}\n";
  };
  systems.push_back(system_from_text(model(0)));
  const Formulation* const riccati = formulation_for(*systems[0], "riccati");
  const host::SolverPointer carrier = solver_for(*systems[0], *riccati);
  auto* const batch = ask<BatchEvaluation>(*carrier);
  REQUIRE(batch != nullptr);
  const std::size_t lanes = batch->lanes(), n = batch->state_size();
  std::vector<double> t(lanes), y(n * lanes), ydot(n * lanes);
  std::vector<std::uint8_t> active(lanes, 1), done(lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    systems.push_back(system_from_text(model(k)));
    worlds.push_back(solver_for(*systems.back(), *riccati));
    REQUIRE(batch->set_world(k, *worlds[k]) == Status::ok);
    const std::vector<double> state = moved(*systems.back(), *worlds[k], 0.02);
    for (std::size_t i = 0; i < n; ++i) y[i * lanes + k] = state[i];
  }
  BatchOutput out{.ydot = ydot, .done = done};
  batch->evaluate({.t = t, .y = y, .active = active}, out);
  batch->evaluate({.t = t, .y = y, .active = active}, out);  // the first one also compares
  CHECK(batch->single_evaluations() == 0);
  for (std::size_t k = 0; k < lanes; ++k) {
    std::vector<double> state(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) state[i] = y[i * lanes + k];
    REQUIRE(worlds[k]->derivative(0, state, expected) == Status::ok);
    double largest = 0;
    for (const double x : expected) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(expected[i] - ydot[i * lanes + k]) < 1e-12 * largest);
  }
}
