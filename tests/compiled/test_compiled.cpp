// Models that are compiled: accelerations are those of the solver that they were compiled from, and of one that shares
// no kernel with it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/workbench/compilation/compiled_model_plugin.hpp"
#include "polyform/solvers/code_disagreement.hpp"
#include "tests/compiled/compiled_check.hpp"
#include "tests/lanes/lanes_check.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::CompiledModelPlugin compiled_from(const host::System& system, const Formulation& formulation,
                                        std::span<Solver* const> variants, const std::string& name) {
  const host::SolverPointer solver = solver_for(system, formulation);
  std::vector<double> y(solver->state_size());
  REQUIRE(solver->encode(system.initial_state(), y) == Status::ok);
  const std::string source = host::source_of(*solver, formulation.name(), {name, "a test", variants});
  return {name, source, "test"};
}

/// The largest difference of rates, relative to the largest of them.
double difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0, off = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    off = std::max(off, std::abs(a[i] - b[i]));
  }
  return largest > 0 ? off / largest : off;
}

/// Accelerations of all joints where a solver's state is y.
std::vector<double> joint_accelerations(const host::System& system, Solver& of, double t, std::span<const double> y,
                                        Solver& by) {
  host::ObservationStore store(system.view());
  REQUIRE(of.observe(t, y, store.now()) == Status::ok);
  const ConstStateView state = as_const(store.now().state());
  std::vector<double> other(by.state_size());
  REQUIRE(by.encode(state, other) == Status::ok);
  host::ObservationStore observed(system.view());
  REQUIRE(by.observe(t, other, observed.now()) == Status::ok);
  return {observed.now().acceleration.begin(), observed.now().acceleration.end()};
}

}  // namespace

TEST_CASE("accelerations of compiled models are those of the solver, one by one and in lanes") {
  const std::string name = GENERATE(as<std::string>(), "seven_axis_arm", "double_pendulum", "triple_spherical_pendulum",
                                    "vehicle", "andrews", "planar_3rrr", "slider_crank", "spring_damper_pendulum",
                                    "ladder_1", "ladder_40", "bricard", "connected_joints", "random_tree");
  INFO(name);
  const auto system = system_from_file(model_file(name));
  const Formulation* const riccati = formulation_for(*system, "riccati");
  const Formulation* const cartesian = formulation_for(*system, "cartesian");
  REQUIRE(riccati != nullptr);
  REQUIRE(cartesian != nullptr);
  const host::CompiledModelPlugin plugin = compiled_from(*system, *riccati, {}, host::compiled_name(name));
  const host::SolverPointer carrier = solver_for(*system, plugin.formulation());
  const host::SolverPointer own = solver_for(*system, *riccati), other = solver_for(*system, *cartesian);
  auto* const batch = ask<BatchEvaluation>(*carrier);
  REQUIRE(batch != nullptr);
  const std::size_t lanes = batch->lanes(), n = batch->state_size();
  std::vector<host::SolverPointer> worlds;
  std::vector<double> t(lanes), y(n * lanes), rates(n * lanes, NAN), power(lanes);
  std::vector<std::uint8_t> active(lanes, 1), done(lanes);
  std::vector<std::vector<double>> states;
  for (std::size_t k = 0; k < lanes; ++k) {
    worlds.push_back(solver_for(*system, plugin.formulation()));
    REQUIRE(batch->set_world(k, *worlds[k]) == Status::ok);
    t[k] = 0.004 * static_cast<double>(k + 1);
    states.push_back(moved(*system, *worlds[k], t[k]));
    for (std::size_t i = 0; i < n; ++i) y[i * lanes + k] = states[k][i];
  }
  BatchOutput out{.ydot = rates, .power = power, .done = done};
  // Twice: the first evaluation of each lane is also a check by the world's own solver.
  for (int round = 0; round < 2; ++round) batch->evaluate({.t = t, .y = y, .active = active}, out);
  CHECK(batch->single_evaluations() == 0);
  for (std::size_t k = 0; k < lanes; ++k) {
    REQUIRE(done[k] == 1);
    std::vector<double> expected(n), alone(n), together(n);
    REQUIRE(own->encode(system->initial_state(), alone) == Status::ok);
    REQUIRE(own->derivative(t[k], states[k], expected) == Status::ok);
    for (int round = 0; round < 2; ++round) REQUIRE(worlds[k]->derivative(t[k], states[k], alone) == Status::ok);
    for (std::size_t i = 0; i < n; ++i) together[i] = rates[i * lanes + k];
    CHECK(difference(alone, expected) < 1e-12);
    CHECK(difference(together, expected) < 1e-12);
    // cartesian solves all bodies with all joints as constraints; loops take it some digits.
    const std::vector<double> by_riccati = joint_accelerations(*system, *worlds[k], t[k], states[k], *own);
    const std::vector<double> by_cartesian = joint_accelerations(*system, *worlds[k], t[k], states[k], *other);
    CHECK(difference(by_riccati, by_cartesian) < 1e-9);
  }
}

TEST_CASE("a compiled law has the axes of a body that is welded to another") {
  // The first derivative is a check by the world's own solver; the second one is that of the code.
  const auto acceleration = [](const std::string& model) {
    const auto system = system_from_text(model);
    const host::CompiledModelPlugin plugin =
        compiled_from(*system, *formulation_for(*system, "riccati"), {}, "compiled-welded");
    const host::SolverPointer compiled = solver_for(*system, plugin.formulation());
    auto* const batch = ask<BatchEvaluation>(*compiled);
    REQUIRE(batch != nullptr);
    const std::size_t lanes = batch->lanes();
    std::vector<double> y(2), found(2), t(lanes), together(2 * lanes), rates(2 * lanes);
    std::vector<std::uint8_t> active(lanes), done(lanes);
    REQUIRE(compiled->encode(system->initial_state(), y) == Status::ok);
    active[0] = 1;
    for (std::size_t i = 0; i < 2; ++i) together[i * lanes] = y[i];
    REQUIRE(batch->set_world(0, *compiled) == Status::ok);
    BatchOutput out{.ydot = rates, .done = done};
    for (int round = 0; round < 2; ++round) {
      REQUIRE(compiled->derivative(0, y, found) == Status::ok);
      batch->evaluate({.t = t, .y = together, .active = active}, out);
    }
    CHECK(batch->single_evaluations() == 0);
    CHECK(rates[lanes] == Approx(found[1]).margin(1e-14));
    return found[1];
  };
  CHECK(acceleration(welded_thruster(3)) == Approx(1.5).epsilon(1e-14));
  CHECK(acceleration(welded_wheel(0.29)) == Approx(2e4 * 0.01 / 11 - 9.81).epsilon(1e-12));
  CHECK(acceleration(welded_wheel(0.33)) == Approx(-9.81).epsilon(1e-14));
}

TEST_CASE("compiled laws on welds of all kinds give what a formulation gives that merges none") {
  const auto system = system_from_text(welded_chain(4)), other = system_from_text(welded_chain(-7));
  const Formulation* const riccati = formulation_for(*system, "riccati");
  const Formulation* const cartesian = formulation_for(*system, "cartesian");
  REQUIRE(cartesian != nullptr);
  const host::SolverPointer variant = solver_for(*other, *riccati);
  Solver* const variants[] = {variant.get()};
  const host::CompiledModelPlugin plugin = compiled_from(*system, *riccati, variants, "compiled-weld-chain");
  for (const host::System* one : {system.get(), other.get()}) {
    const host::SolverPointer compiled = solver_for(*one, plugin.formulation()), own = solver_for(*one, *riccati),
                              apart = solver_for(*one, *cartesian);
    const std::vector<double> y = moved(*one, *own, 0.1);
    std::vector<double> expected(y.size()), found(y.size());
    REQUIRE(own->derivative(0.1, y, expected) == Status::ok);
    for (int round = 0; round < 2; ++round) REQUIRE(compiled->derivative(0.1, y, found) == Status::ok);
    CHECK(difference(found, expected) < 1e-12);
    const std::vector<double> merged = joint_accelerations(*one, *own, 0.1, y, *own);
    CHECK(difference(merged, joint_accelerations(*one, *own, 0.1, y, *apart)) < 1e-10);
  }
}

TEST_CASE("code that is wrong only where something acts is found when it acts, and told") {
  // A wheel falls from 3 cm above the road: for 78 ms nothing but its weight acts.
  const auto system = system_from_text(welded_wheel(0.33));
  const Formulation* const riccati = formulation_for(*system, "riccati");
  const host::SolverPointer own = solver_for(*system, *riccati);
  std::vector<double> y(2);
  REQUIRE(own->encode(system->initial_state(), y) == Status::ok);
  std::string source = host::source_of(*own, "riccati", {"compiled-wrong", "a test", {}});
  const std::string part = "Room::where_positive(";
  REQUIRE(source.find(part) != std::string::npos);
  for (std::size_t at = source.find(part); at != std::string::npos; at = source.find(part, at + 40))
    source.insert(at, "Room::all(2) * ");
  const host::CompiledModelPlugin plugin("compiled-wrong", source, "test");
  const host::SolverPointer compiled = solver_for(*system, plugin.formulation());
  const auto* const told = ask<CodeDisagreement>(*compiled);
  REQUIRE(told != nullptr);

  host::RunSettings settings = run_settings("dopri5");
  settings.duration = settings.output_interval = 0.15;
  LastState by_own, by_compiled;
  host::RowSink* const sink_of_own[] = {&by_own};
  host::RowSink* const sink_of_compiled[] = {&by_compiled};
  REQUIRE(host::simulate(*system, *own, settings, sink_of_own, {}).warnings.empty());
  const host::RunRecord record = host::simulate(*system, *compiled, settings, sink_of_compiled, {});
  REQUIRE(record.warnings.size() == 1);
  CHECK(record.warnings[0].find("the compiled code of the model gave rates at t = ") == 0);
  CHECK(told->time > std::sqrt(2 * 0.03 / 9.81));  // in the first step that comes beyond the touch
  CHECK(told->time < 0.12);
  CHECK(told->part > 1e-3);
  CHECK(by_compiled.q[0] == Approx(by_own.q[0]).epsilon(1e-9));

  // In lanes likewise.
  auto* const batch = ask<BatchEvaluation>(*compiled);
  REQUIRE(batch != nullptr);
  const std::size_t lanes = batch->lanes();
  REQUIRE(batch->set_world(0, *compiled) == Status::ok);
  std::vector<double> t(lanes), all(2 * lanes), rates(2 * lanes);
  std::vector<std::uint8_t> active(lanes), done(lanes);
  active[0] = 1;
  BatchOutput out{.ydot = rates, .done = done};
  for (const double below : {-0.01, 0.01, 0.02}) {
    all[0] = y[0] - 0.03 - below;
    batch->evaluate({.t = t, .y = all, .active = active}, out);
    CHECK(rates[lanes] == Approx(-9.81 + std::max(0.0, 2e4 * below / 11)).epsilon(1e-12));
  }
  CHECK(batch->single_evaluations() == 2);
}

TEST_CASE("a compiled model is no further witness beside the solver that it comes from") {
  const auto system = system_from_file(model_file("double_pendulum"));
  const Formulation* const riccati = formulation_for(*system, "riccati");
  const host::CompiledModelPlugin plugin = compiled_from(*system, *riccati, {}, "compiled-double-pendulum");
  const host::SolverPointer compiled = solver_for(*system, plugin.formulation()), own = solver_for(*system, *riccati);
  const std::vector<std::string> kernels = host::kernels_of(*compiled);
  for (const std::string& kernel : host::kernels_of(*own)) CHECK(std::ranges::count(kernels, kernel) == 1);
  CHECK(std::ranges::count(kernels, "compiled model") == 1);
}

TEST_CASE("numbers in which variants differ stay open, and no others") {
  const auto light = system_from_text(bars(1, 0.8)), heavy = system_from_text(bars(3, 0.8)),
             other = system_from_text(bars(1.7, 0.8)), longer = system_from_text(bars(1, 0.9));
  const Formulation& riccati = *formulation_for(*light, "riccati");
  const host::SolverPointer variant = solver_for(*heavy, riccati);
  Solver* const variants[] = {variant.get()};
  const host::CompiledModelPlugin plugin = compiled_from(*light, riccati, variants, "compiled-bars");
  for (const host::System* system : {light.get(), heavy.get(), other.get()}) {
    const host::SolverPointer compiled = solver_for(*system, plugin.formulation()), own = solver_for(*system, riccati);
    const std::vector<double> y = moved(*system, *own, 0.1);
    std::vector<double> expected(y.size()), found(y.size());
    REQUIRE(own->derivative(0.1, y, expected) == Status::ok);
    for (int round = 0; round < 2; ++round) REQUIRE(compiled->derivative(0.1, y, found) == Status::ok);
    CHECK(difference(found, expected) < 1e-12);
  }
  CHECK_THROWS_WITH(solver_for(*longer, plugin.formulation()),
                    Catch::Contains("compiled-bars was compiled for another model") &&
                        Catch::Contains("a number of its bodies, joints or forces differs from the compiled one"));
}

TEST_CASE("a model that lanes do not carry is refused by name before it is compiled") {
  const auto system = system_from_file(model_file("flexible_pendulum"));
  const Formulation& riccati = *formulation_for(*system, "riccati");
  const host::SolverPointer solver = solver_for(*system, riccati);
  CHECK_THROWS_WITH(host::source_of(*solver, "riccati", {"compiled-pendulum", "a test", {}}),
                    "riccati cannot compile the model: it has flexible bodies");
}

TEST_CASE("the zeros of a model leave no work") {
  const auto products = [](const std::string& source) {
    std::size_t count = 0;
    for (std::size_t at = source.find(" * "); at != std::string::npos; at = source.find(" * ", at + 1)) ++count;
    return count;
  };
  const auto source = [](const host::System& system) {
    const host::SolverPointer solver = solver_for(system, *formulation_for(system, "riccati"));
    return host::source_of(*solver, "riccati", {"compiled-test", "a test", {}});
  };
  const auto planar = system_from_file(model_file("double_pendulum"));
  const auto askew = system_from_text(bars(1, 0.8));
  CHECK(3 * products(source(*planar)) < products(source(*askew)));
}
