#include <catch2/catch.hpp>

#include "elements.hpp"
#include "polyform/solvers/absolute_system.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("an effort with a first-order state turns a pendulum and shows in the reaction", "[cartesian]") {
  HandBuilt m({0, 0, 0});
  m.revolute("pin", ground, add_rod(m, "rod", {}, 0), {}, z_axis);
  const FadingTorque type;
  const std::string_view names[] = {"motor"};
  const JointIndex joints[] = {joint_index(0)};
  const JointShape shapes[] = {{1, 1, {}, false}};
  ElementInstance instance{};
  instance.joints = shapes;
  ForceInstances group{};
  group.type = &type;
  group.names = names;
  group.instances = {&instance, 1};
  group.joints = joints;
  m.set_forces({&group, 1}, 1);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  State state(view);
  state.x[0] = 2;
  std::vector<double> y = encoded(*solver, state);
  Observed o(view);
  REQUIRE(solver->observe(0, y, o.observation) == Status::ok);
  CHECK(o.acceleration[0] == Approx(2 * 3));  // torque over m l²/3
  CHECK(o.reactions[0].angular.z == Approx(2));
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 1e-2, 100));
  REQUIRE(solver->decode(y, state.view()) == Status::ok);
  CHECK(state.x[0] == Approx(2 * std::exp(-1.0)).epsilon(1e-8));
  CHECK(state.v[0] == Approx(6 * (1 - std::exp(-1.0))).epsilon(1e-8));
}

TEST_CASE("a driven joint follows its function, and its driving torque is in the reaction", "[cartesian]") {
  HandBuilt m({0, -9.81, 0});
  m.revolute("pin", ground, add_rod(m, "rod", {}, 0), {}, z_axis);
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
  SolverPointer solver = make_cartesian(view);
  State state(view);
  state.v[0] = 1;
  std::vector<double> y = encoded(*solver, state);
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 1e-3, 1000));
  Observed o(view);
  REQUIRE(solver->observe(t, y, o.observation) == Status::ok);
  const double q = 0.5 * std::sin(2 * t), alpha = -2 * std::sin(2 * t);
  CHECK(o.state.q[0] == Approx(q).epsilon(1e-12));
  CHECK(o.acceleration[0] == Approx(alpha).epsilon(1e-12));
  CHECK(o.reactions[0].angular.z == Approx(alpha / 3 + 9.81 * 0.5 * std::cos(q)).epsilon(1e-10));
}

TEST_CASE("velocities that cannot be met are named", "[absolute_system]") {
  HandBuilt m;
  build_four_bar(m);  // in which joint B turns back by as much as joint A turns forwards
  const DrivenAngle type;
  const std::string_view names[] = {"drive of A", "drive of B"};
  const JointIndex joints[] = {joint_index(0), joint_index(1)};
  const JointShape shapes[] = {{1, 1, {}, false}};
  const std::size_t rows[] = {1};
  ElementInstance instance{};
  instance.joints = shapes;
  ConstraintInstances groups[2]{};
  for (std::size_t k = 0; k < 2; ++k) {
    groups[k].type = &type;
    groups[k].names = {names + k, 1};
    groups[k].instances = {&instance, 1};
    groups[k].joints = {joints + k, 1};
    groups[k].rows = rows;
  }
  m.set_constraints(groups);
  const SystemView& view = m.view();
  State drawn(view);
  TreeKinematics tree(view);
  tree.evaluate(drawn.q.data(), drawn.v.data());
  std::vector<BodyMotion> moving(tree.bodies().begin(), tree.bodies().end());
  AbsoluteSystem system(view);
  double violation = 0;
  REQUIRE_FALSE(system.project_velocities(0, moving, drawn.q, drawn.v, violation));
  CHECK(std::string(system.failure()).find("No velocities respect all constraints") == 0);
}

TEST_CASE("a knife edge keeps its direction and its energy", "[cartesian]") {
  // Chaplygin's sleigh on a frictionless plane: the mass centre ahead of the blade.
  HandBuilt m({0, 0, -9.81});
  const BodyIndex sleigh = m.add_body("sleigh", {}, 1, {0.3, 0, 0}, {0.1, 0.1, 0.2, 0, 0, 0});
  m.add_joint("plane", ground, sleigh, {},
              {{Primitive::Kind::translation, {1, 0, 0}},
               {Primitive::Kind::translation, {0, 1, 0}},
               {Primitive::Kind::rotation, z_axis}});
  const KnifeEdge type;
  const std::string_view names[] = {"blade"};
  const std::size_t rows[] = {1};
  Marker marker{sleigh, {}};
  ElementInstance instance{};
  instance.markers = {&marker, 1};
  ConstraintInstances group{};
  group.type = &type;
  group.names = names;
  group.instances = {&instance, 1};
  group.rows = rows;
  m.set_constraints({&group, 1});
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  State state(view);
  state.v = {0.2, 0, 2};
  std::vector<double> y = encoded(*solver, state);
  const double before = energy(*solver, view, 0, y);
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 1e-3, 2000));
  CHECK(energy(*solver, view, t, y) == Approx(before).epsilon(1e-9));
  // (J + m a²) ω̇ = −m a u ω and u̇ = a ω²: the sleigh ends up sliding straight ahead, on the ellipse of its energy.
  Observed o(view);
  REQUIRE(solver->observe(t, y, o.observation) == Status::ok);
  const double w = o.state.v[2];
  const double u = std::cos(o.state.q[2]) * o.state.v[0] + std::sin(o.state.q[2]) * o.state.v[1];
  CHECK(o.acceleration[2] == Approx(-0.3 * u * w / (0.2 + 0.09)).epsilon(1e-10));
  CHECK(o.observation.velocity_violation < 1e-12);
}

TEST_CASE("a screw written as code is a joint like others", "[cartesian]") {
  HandBuilt m({0, 0, -9.81});
  const BodyIndex nut = m.add_body("nut", {}, 2, {}, {0.1, 0.1, 0.3, 0, 0, 0});
  const JointIndex screw = m.add_joint("screw", ground, nut, {}, {});
  const Screw kernel;
  const double pitch[] = {0.05};
  m.joint(screw).kernel = &kernel;
  m.joint(screw).parameters = pitch;
  m.joint(screw).nq = m.joint(screw).nv = 1;
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  State state(view);
  state.q[0] = 10;
  std::vector<double> y = encoded(*solver, state);
  Observed o(view);
  REQUIRE(solver->observe(0, y, o.observation) == Status::ok);
  const double alpha = -2 * 9.81 * 0.05 / (0.3 + 2 * 0.05 * 0.05);
  CHECK(o.acceleration[0] == Approx(alpha).epsilon(1e-13));
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 1e-3, 1000));
  REQUIRE(solver->decode(y, state.view()) == Status::ok);
  CHECK(state.q[0] == Approx(10 + 0.5 * alpha).epsilon(1e-12));
}
