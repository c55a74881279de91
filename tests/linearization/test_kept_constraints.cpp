// Solvers that leave out constraints, or let them give way, have no linear model and no equilibrium.
#include <catch2/catch.hpp>

#include "framework/host/assembly/acceleration_misfit.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

namespace {

/// A crank, a beam and a rod in motion, with a driven joint and a motor.
constexpr const char* all_kinds = R"(
polyform: 1
gravity: [0, -9.81, 0.5]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.2, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  - {name: beam, type: flexible-beam, position: [0.4, 0, 0], length: 1, linear_density: 0.5, bending_stiffness: 30,
     modes: 2, boundary: clamped-free, mass: 0.2, center_of_mass: [0, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: rod, position: [1.4, 0, 0], mass: 0.3, center_of_mass: [0.1, 0, 0], inertia: {xx: 0.001, yy: 0.003, zz: 0.003}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
  - {name: B, type: revolute, base: crank, moving: beam, position: [0.4, 0, 0], axis: [0, 1, 1], initial: {velocity: -2}}
  - {name: C, type: revolute, base: beam, moving: rod, position: [1.4, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: drive, type: prescribed-motion, joint: B, motion: {polynomial: [0, -2, 0, 1]}}
modules:
  - {name: motor, type: dc-motor, joint: A, voltage: 12, resistance: 1, inductance: 0.01, torque_constant: 0.1,
     gear_ratio: 5, rotor_inertia: 0.001, current: 2}
)";

const Formulation& formulation(const std::string& name) { return *host::find(registry().catalog().formulations, name); }

/// What the refusal of a linear model and of an equilibrium says; both must refuse.
std::string refusal(const host::System& system, const host::SolverMaker& make) {
  std::string why;
  const auto refused = [&](auto work) {
    try {
      work();
    } catch (const host::Failure& failure) {
      why = failure.message();
      return failure.code() == host::Exit::bad_input;
    }
    return false;
  };
  CHECK(refused([&] { host::linearize(system, make, initial_point(system), {}); }));
  CHECK(refused([&] { host::find_equilibrium(system, make, {}); }));
  return why;
}

}  // namespace

TEST_CASE("models of lower levels of a hierarchy are refused, that of the last level is the whole system's") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr_subsystems.yaml");
  const Formulation& hierarchy = formulation("hierarchy");
  CHECK_THAT(refusal(*system, maker(hierarchy, {{"level", "1"}})), Contains("joint `shaft1`"));
  CHECK_THAT(refusal(*system, maker(hierarchy, {{"level", "2"}})), Contains("joint `C1`") || Contains("joint `C2`"));
  const host::OperatingPoint point = initial_point(*system);
  const host::Linearization whole = host::linearize(*system, maker(hierarchy), point, {});
  const host::Linearization top = host::linearize(*system, maker(hierarchy, {{"level", "3"}}), point, {});
  CHECK(whole.A.value == top.A.value);
}

TEST_CASE("joints that give way are refused") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/double_pendulum.yaml");
  const host::SolverMaker make = maker(formulation("hierarchy"), {{"clearance", "j1=1e-3"}, {"correction", "none"}});
  CHECK_THAT(refusal(*system, make), Contains("joint `j1`"));
}

TEST_CASE("constraints that are left out are found beside a fast rotor") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: blade, position: [0.5, 0, 0], mass: 0.1, center_of_mass: [0, 0, 0], inertia: {xx: 0.001, yy: 0.01, zz: 0.01}}
  - {name: a, position: [5, 0, 0], mass: 1, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, position: [5, -1, 0], mass: 1, center_of_mass: [0, -0.5, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: shaft, type: revolute, base: ground, moving: blade, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 3e4}}
  - {name: p, type: revolute, base: ground, moving: a, position: [5, 0, 0], axis: [0, 0, 1]}
  - {name: r, type: revolute, base: a, moving: b, position: [5, -1, 0], axis: [0, 0, 1]}
subsystems:
  - {name: R, bodies: [blade]}
  - name: PP
    subsystems:
    - {name: A, bodies: [a]}
    - {name: B, bodies: [b]}
)");
  const Formulation& hierarchy = formulation("hierarchy");
  const auto refused = [&](const std::vector<std::pair<std::string, std::string>>& options) {
    std::string why;
    try {
      host::linearize(*system, maker(hierarchy, options), initial_point(*system), {});
    } catch (const host::Failure& failure) {
      why = failure.message();
    }
    return why;
  };
  CHECK_THAT(refused({{"level", "1"}}), Contains("joint `r`"));
  CHECK_THAT(refused({{"clearance", "r=3e-2"}, {"correction", "none"}}), Contains("joint `r`"));
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    CHECK_NOTHROW(host::linearize(*system, maker(*f), initial_point(*system), {}));
  }
}

TEST_CASE("constraints that are left out are found where nothing moves until an input acts") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: p, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: r, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: motor, type: joint-force, joint: p, effort: 0}
)");
  host::LinearRequest request;
  request.inputs = host::select_inputs(host::input_fields(system->view(), 0), {"motor.effort"});
  const host::SolverMaker make = maker(formulation("hierarchy"), {{"level", "1"}});
  CHECK_THROWS_AS(host::linearize(*system, make, initial_point(*system), request), host::Failure);
}

TEST_CASE("a parallelogram laid flat is refused for its singular position, and no option is blamed") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1.1, center_of_mass: [0.4, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
  - {name: coupler, position: [0.8, 0, 0], mass: 2, center_of_mass: [0.75, 0, 0], inertia: {xx: 0.01, yy: 0.4, zz: 0.4}}
  - {name: rocker, position: [1.5, 0, 0], mass: 0.9, center_of_mass: [0.4, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: B, type: revolute, base: crank, moving: coupler, position: [0.8, 0, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: rocker, position: [2.3, 0, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: rocker, position: [1.5, 0, 0], axis: [0, 0, 1]}
)");
  int refused = 0;
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    try {
      host::linearize(*system, maker(*f), initial_point(*system), {});
    } catch (const host::Failure& failure) {
      ++refused;
      CHECK_THAT(failure.message(), Contains("singular position") && !Contains("as it is set up"));
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("accelerations of every formulation keep joints, constraint elements and modules; changed ones leave them") {
  const auto system = system_from_text(all_kinds);
  const SystemView& view = system->view();
  host::AccelerationMisfit misfit(view);
  const std::vector<const Formulation*> formulations = formulations_for(*system);
  REQUIRE(!formulations.empty());
  for (const Formulation* f : formulations) {
    INFO(f->name());
    host::ObservationStore store(view);
    host::evaluate(*system, *solver_for(*system, *f), store);
    Observation& now = store.now();
    CHECK(misfit.worst(0, now).size < 1e-11);
    const auto changed = [&](double& value, const char* kind, const char* name) {
      const double good = value;
      value += 0.1 * (1 + std::abs(good));
      const host::AccelerationMisfit::Worst worst = misfit.worst(0, now);
      CHECK(worst.size > 1e-5);
      CHECK(worst.kind == std::string(kind));
      CHECK(worst.name == name);
      value = good;
    };
    changed(now.bodies[2].acceleration.x, "joint", "C");
    changed(now.modal_acceleration[0], "joint", "C");
    changed(now.state_rates[1], "module", "motor");
    CHECK(misfit.worst(1, now).name == "drive");  // the drive accelerates with time
  }
}
