#include "tests/hierarchy/solver_with.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "framework/host/reading/reader.hpp"

namespace polyform::test {

const Formulation& hierarchy_formulation() { return *registry().catalog().formulations.at("hierarchy"); }

host::SolverPointer solver_with(const host::System& system, const GivenOptions& options) {
  host::Diagnostics diagnostics;
  host::Description storage;
  const Formulation& formulation = hierarchy_formulation();
  const std::vector<FieldValue> values =
      host::read_options(formulation.options(), options, formulation.name(), storage, diagnostics);
  REQUIRE(!diagnostics.failed());
  return host::compile(formulation, system.view(), values);
}

std::unique_ptr<host::ObservationStore> observe(const host::System& system, Solver& solver) {
  auto store = std::make_unique<host::ObservationStore>(system.view());
  const std::vector<double> y = initial_vector(system, solver);
  const Status status = solver.observe(0, y, store->now());
  INFO(solver.failure());
  REQUIRE(status == Status::ok);
  return store;
}

std::unique_ptr<host::ObservationStore> observe_with(const host::System& system, const GivenOptions& options) {
  const auto solver = solver_with(system, options);
  return observe(system, *solver);
}

double difference(const Observation& a, const Observation& b) {
  double worst = 0, scale = 1;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    worst = std::max({worst, norm(a.bodies[i].acceleration - b.bodies[i].acceleration),
                      norm(a.bodies[i].angular_acceleration - b.bodies[i].angular_acceleration)});
    scale = std::max({scale, norm(a.bodies[i].acceleration), norm(a.bodies[i].angular_acceleration)});
  }
  return worst / scale;
}

std::size_t body_of(const host::System& system, const std::string& name) {
  const auto bodies = system.view().bodies;
  const auto found = std::find_if(bodies.begin(), bodies.end(), [&](const BodyData& b) { return b.name == name; });
  REQUIRE(found != bodies.end());
  return static_cast<std::size_t>(found - bodies.begin());
}

}  // namespace polyform::test
