// Constraint elements, first-order states and efforts in particle coordinates, compared with the cartesian formulation.
#include <catch2/catch.hpp>

#include "framework/host/reading/reader.hpp"
#include "tests/support/workbench.hpp"
#include "tests/unit/absolute_system/elements.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::SolverPointer solver_of(const char* name, const SystemView& view) {
  const Formulation& formulation = *registry().catalog().formulations.at(name);
  host::Diagnostics diagnostics;
  host::Description storage;
  const std::vector<FieldValue> options =
      host::read_options(formulation.options(), {}, formulation.name(), storage, diagnostics);
  REQUIRE(!diagnostics.failed());
  return host::compile(formulation, view, options);
}

/// Compares the motion after a second, and accelerations and reactions then, of both formulations.
void require_same_motion(const SystemView& view, const State& start) {
  Observed found(view), expected(view);
  double worst = 0;
  for (auto [name, observed] : {std::pair{"particles", &found}, {"cartesian", &expected}}) {
    INFO(name);
    const auto solver = solver_of(name, view);
    std::vector<double> y(solver->state_size());
    State state = start;
    REQUIRE(solver->encode(state.constant(), y) == Status::ok);
    double t = 0;
    REQUIRE(integrate(*solver, y, t, 1e-3, 1000));
    REQUIRE(solver->observe(t, y, observed->observation) == Status::ok);
    INFO(solver->failure());
    CHECK(observed->observation.position_violation < 1e-10);
    CHECK(observed->observation.velocity_violation < 1e-10);
  }
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    worst = std::max(worst, norm(found.bodies[i].pose.position - expected.bodies[i].pose.position));
    worst = std::max(worst, norm(found.bodies[i].acceleration - expected.bodies[i].acceleration));
    worst = std::max(worst, norm(found.bodies[i].angular_acceleration - expected.bodies[i].angular_acceleration));
  }
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    worst = std::max(worst, norm(found.reactions[j].linear - expected.reactions[j].linear));
    worst = std::max(worst, norm(found.reactions[j].angular - expected.reactions[j].angular));
  }
  CHECK(worst < 1e-8);
}

}  // namespace

TEST_CASE("a driven joint of a chain moves as prescribed, with its driving torque in the reactions") {
  HandBuilt m({0, -9.81, 0});
  const BodyIndex first = m.add_body("first", {}, 1, {0.5, 0, 0}, {0.01, 0.09, 0.09, 0, 0, 0});
  const BodyIndex second = m.add_body("second", {{}, {1, 0, 0}}, 2, {0.4, 0.1, 0.05}, {0.02, 0.09, 0.1, 0, 0, 0});
  m.revolute("driven", BodyIndex::ground, first, {}, {0, 0, 1});
  m.spherical("ball", first, second, {1, 0, 0});
  const DrivenAngle type;
  const std::string_view names[] = {"drive"};
  const JointIndex joints[] = {joint_index(0)};
  const JointShape shapes[] = {{1, 1, {}, false}};
  const std::size_t rows[] = {1};
  ElementInstance instance{};
  instance.joints = shapes;
  ConstraintInstances group{};
  group.type = &type;
  group.names = names;
  group.instances = {&instance, 1};
  group.joints = joints;
  group.rows = rows;
  m.set_constraints({&group, 1});
  const SystemView& view = m.view();
  State state(view);
  state.v = {1, 0.3, -0.2, 0.5};
  require_same_motion(view, state);
}

TEST_CASE("a free body on a knife edge does not slip sideways") {
  HandBuilt m({0.3, -9.81, 0.2});
  const BodyIndex body = m.add_body("sledge", {}, 2, {0.1, 0.05, 0.02}, {0.3, 0.2, 0.4, 0, 0, 0});
  m.free("free", body);
  const KnifeEdge type;
  const std::string_view names[] = {"edge"};
  const std::size_t rows[] = {1};
  Marker marker{body, {0.2, 0, 0}};
  ElementInstance instance{};
  instance.markers = {&marker, 1};
  ConstraintInstances group{};
  group.type = &type;
  group.names = names;
  group.instances = {&instance, 1};
  group.rows = rows;
  m.set_constraints({&group, 1});
  const SystemView& view = m.view();
  State state(view);
  state.v = {0.5, 0, 0.2, 0.1, 0.4, 0};
  require_same_motion(view, state);
}
