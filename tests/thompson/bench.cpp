#include "tests/thompson/bench.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "framework/diagnostics.hpp"

namespace polyform::test {

const Formulation& formulation_named(const std::string& name) { return *registry().catalog().formulations.at(name); }

std::unique_ptr<host::ObservationStore> observe(const host::System& system, Solver& solver) {
  auto store = std::make_unique<host::ObservationStore>(system.view());
  const std::vector<double> y = initial_vector(system, solver);
  const Status status = solver.observe(0, y, store->now());
  INFO(solver.failure());
  REQUIRE(status == Status::ok);
  return store;
}

std::unique_ptr<host::ObservationStore> observe_with(const host::System& system, const SolverOptions& options) {
  const auto solver = solver_for(system, thompson_formulation(), options);
  return observe(system, *solver);
}

Difference difference(const Observation& a, const Observation& b) {
  Difference d;
  double acceleration = 1, reaction = 1;
  const auto compare = [](const Vec3& p, const Vec3& q, double& worst, double& scale) {
    worst = std::max(worst, norm(p - q));
    scale = std::max({scale, norm(p), norm(q)});
  };
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    compare(a.bodies[i].acceleration, b.bodies[i].acceleration, d.acceleration, acceleration);
    compare(a.bodies[i].angular_acceleration, b.bodies[i].angular_acceleration, d.acceleration, acceleration);
  }
  for (std::size_t k = 0; k < a.acceleration.size(); ++k)
    d.acceleration = std::max(d.acceleration, std::abs(a.acceleration[k] - b.acceleration[k]));
  for (std::size_t j = 0; j < a.reactions.size(); ++j) {
    compare(a.reactions[j].linear, b.reactions[j].linear, d.reaction, reaction);
    compare(a.reactions[j].angular, b.reactions[j].angular, d.reaction, reaction);
  }
  return {d.acceleration / acceleration, d.reaction / reaction};
}

std::vector<SolverOptions> variants() {
  std::vector<SolverOptions> all;
  for (const char* construction : {"velocity", "null-space"})
    for (const char* form : {"reduced", "implicit-1", "implicit-2"})
      all.push_back({{"construction", construction}, {"form", form}});
  return all;
}

std::string refusal(const host::System& system, const SolverOptions& options) {
  try {
    solver_for(system, thompson_formulation(), options);
  } catch (const host::Failure& failure) {
    return failure.message();
  }
  return {};
}

std::string text_of(const SolverOptions& options) {
  std::string text;
  for (const auto& [name, value] : options) text += name + "=" + value + " ";
  return text;
}

}  // namespace polyform::test
