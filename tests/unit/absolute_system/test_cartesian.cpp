#include <catch2/catch.hpp>
#include <limits>

#include "mechanisms.hpp"
#include "tests/support/allocations.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A spatial tree with a ball, a universal and a revolute joint: two branches on the first body.
void build_tree(HandBuilt& m) {
  const BodyIndex a =
      m.add_body("a", {axis_angle(Vec3{1, 0, 0}, 0.3), {0, 0, 0}}, 1.2, {0.4, 0.1, 0}, {0.1, 0.2, 0.25, 0.01, 0, 0.02});
  const BodyIndex b =
      m.add_body("b", {axis_angle(Vec3{0, 1, 0}, -0.8), {1, 0, 0.2}}, 0.7, {0.2, 0, 0.1}, {0.03, 0.05, 0.04, 0, 0, 0});
  const BodyIndex c = m.add_body("c", {{}, {0.3, 0.9, 0}}, 0.5, {0, 0.3, 0}, {0.02, 0.01, 0.02, 0, 0, 0});
  m.spherical("ball", ground, a, {0.1, 0, 0});
  m.add_joint("universal", a, b, {0.9, 0, 0.1},
              {{Primitive::Kind::rotation, {0, 1, 0}}, {Primitive::Kind::rotation, z_axis}});
  m.revolute("hinge", a, c, {0.3, 0.8, 0}, {1, 0, 1});
}

State tree_state(const SystemView& view) {
  State s(view);
  const Quat turned = normalized(Quat{0.9, 0.2, -0.3, 0.1});
  s.q = {turned.w, turned.x, turned.y, turned.z, 0.4, -0.6, 1.1};
  s.v = {0.5, -1.2, 0.8, 1.5, -0.7, 2.0};
  return s;
}

}  // namespace

TEST_CASE("encode and decode are inverse, whole turns and signs included", "[cartesian]") {
  HandBuilt m;
  build_tree(m);
  m.spherical("cut", BodyIndex{1}, ground, {1.3, 0.2, 0.4});
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  State state = tree_state(m.view());
  state.q.resize(view.nq);
  state.v.resize(view.nv);
  state.q[4] += 4 * std::numbers::pi;
  state.q[6] -= 6 * std::numbers::pi;
  for (double& q : std::span(state.q).first(4)) q = -q;
  // The cut joint's coordinates follow from the bodies, up to a sign that has to survive.
  State first = state;
  first.q[view.joints[3].q_offset] = 1;
  State closed(view);
  REQUIRE(solver->decode(encoded(*solver, first), closed.view()) == Status::ok);
  for (const double sign : {1.0, -1.0}) {
    State wanted = closed, got(view);
    for (std::size_t k = 0; k < 4; ++k) wanted.q[view.joints[3].q_offset + k] *= sign;
    REQUIRE(solver->decode(encoded(*solver, wanted), got.view()) == Status::ok);
    CHECK(distance(got.q, wanted.q) < 1e-13);
    CHECK(distance(std::span(got.v).first(6), std::span(wanted.v).first(6)) < 1e-13);
  }
}

TEST_CASE("accelerations are the rates of the velocities", "[cartesian]") {
  HandBuilt m;
  build_tree(m);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  std::vector<double> y = encoded(*solver, tree_state(view)), ydot(y.size());
  REQUIRE(solver->derivative(0, y, ydot) == Status::ok);
  Observed here(view), before(view), after(view);
  REQUIRE(solver->observe(0, y, here.observation) == Status::ok);
  const double h = 1e-5;
  std::vector<double> ahead = y, behind = y;
  for (std::size_t i = 0; i < y.size(); ++i) {
    ahead[i] += h * ydot[i];
    behind[i] -= h * ydot[i];
  }
  REQUIRE(solver->observe(0, ahead, after.observation) == Status::ok);
  REQUIRE(solver->observe(0, behind, before.observation) == Status::ok);
  for (std::size_t k = 0; k < view.nv; ++k)
    CHECK((after.state.v[k] - before.state.v[k]) / (2 * h) == Approx(here.acceleration[k]).margin(1e-7));
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const Vec3 a = (1 / (2 * h)) * (after.bodies[i].velocity - before.bodies[i].velocity);
    const Vec3 alpha = (1 / (2 * h)) * (after.bodies[i].angular_velocity - before.bodies[i].angular_velocity);
    const Vec3 v = (1 / (2 * h)) * (after.bodies[i].pose.position - before.bodies[i].pose.position);
    CHECK(norm(a - here.bodies[i].acceleration) < 1e-7);
    CHECK(norm(alpha - here.bodies[i].angular_acceleration) < 1e-7);
    CHECK(norm(v - here.bodies[i].velocity) < 1e-7);
  }
}

TEST_CASE("joint accelerations lead to the same body accelerations along the tree", "[cartesian]") {
  HandBuilt m;
  build_tree(m);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  State state = tree_state(view);
  Observed o(view);
  REQUIRE(solver->observe(0, encoded(*solver, state), o.observation) == Status::ok);
  TreeKinematics tree(view);
  tree.evaluate(state.q.data(), state.v.data());
  std::vector<Spatial> accelerations(view.bodies.size());
  tree.accelerations(o.acceleration.data(), accelerations);
  for (std::size_t i = 0; i < accelerations.size(); ++i) {
    CHECK(norm(accelerations[i].linear - o.bodies[i].acceleration) < 1e-12);
    CHECK(norm(accelerations[i].angular - o.bodies[i].angular_acceleration) < 1e-12);
  }
  // Newton's law for the whole system: the ball joint carries everything that gravity does not.
  Vec3 rate;
  double mass = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const BodyMotion& b = tree.bodies()[i];
    const Vec3 c = b.R * view.bodies[i].center_of_mass, w = b.V.angular;
    rate +=
        view.bodies[i].mass * (accelerations[i].linear + cross(accelerations[i].angular, c) + cross(w, cross(w, c)));
    mass += view.bodies[i].mass;
  }
  CHECK(norm(o.reactions[0].linear - (rate - mass * view.gravity)) < 1e-11);
  CHECK(norm(o.reactions[0].angular) < 1e-11);
}

TEST_CASE("a spatial tree conserves its energy with the order of the integrator", "[cartesian]") {
  HandBuilt m;
  build_tree(m);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  const std::vector<double> start = encoded(*solver, tree_state(view));
  const double before = energy(*solver, view, 0, start);
  double drift[2];
  for (int k = 0; k < 2; ++k) {
    std::vector<double> y = start;
    double t = 0;
    REQUIRE(integrate(*solver, y, t, k == 0 ? 2e-3 : 1e-3, k == 0 ? 500 : 1000));
    drift[k] = std::abs(energy(*solver, view, t, y) - before);
  }
  CHECK(drift[1] < 1e-7);
  CHECK(drift[0] / drift[1] > 12);
}

TEST_CASE("a free body keeps energy and angular momentum", "[cartesian]") {
  HandBuilt m({0, 0, 0});
  const Sym3 inertia{1, 2, 3, 0, 0, 0};
  m.free("float", m.add_body("body", {}, 2, {0.1, 0.2, 0.3}, inertia));
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  State state(view);
  state.v = {0.5, 0, 0, 0.01, 3, 0.02};
  std::vector<double> y = encoded(*solver, state);
  const auto momentum = [&] {
    const Mat3 R = rotation_matrix(Quat{y[3], y[4], y[5], y[6]});
    return rotate(R, inertia) * Vec3{y[7], y[8], y[9]};
  };
  const Vec3 L = momentum();
  const double before = energy(*solver, view, 0, y);
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 1e-3, 5000));
  CHECK(norm(momentum() - L) < 1e-8);
  CHECK(energy(*solver, view, t, y) == Approx(before).epsilon(1e-10));
}

TEST_CASE("an angle counts its turns", "[cartesian]") {
  HandBuilt m({0, 0, 0});
  m.revolute("pin", ground, add_rod(m, "rod", {}, 0), {}, z_axis);
  SolverPointer solver = make_cartesian(m.view());
  State state(m.view());
  state.v[0] = 5;
  std::vector<double> y = encoded(*solver, state);
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 2e-3, 2000));
  REQUIRE(solver->decode(y, state.view()) == Status::ok);
  CHECK(state.q[0] == Approx(20.0).epsilon(1e-9));
}

TEST_CASE("without correction the constraints drift, with it they do not", "[cartesian]") {
  HandBuilt m;
  build_tree(m);
  const SystemView& view = m.view();
  for (const bool project : {true, false}) {
    SolverPointer solver = make_cartesian(view, project);
    std::vector<double> y = encoded(*solver, tree_state(view));
    double t = 0;
    REQUIRE(integrate(*solver, y, t, 1e-2, 200));
    Observed o(view);
    REQUIRE(solver->observe(t, y, o.observation) == Status::ok);
    CHECK((o.observation.position_violation < 1e-12) == project);
    CHECK((o.observation.velocity_violation < 1e-12) == project);
  }
}

TEST_CASE("nothing allocates after compile", "[cartesian]") {
  HandBuilt m({0, -9.81, 0});
  build_four_bar(m);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  State state(view);
  std::vector<double> y(solver->state_size()), ydot(y.size());
  Observed o(view);
  Correction correction;
  const std::size_t before = allocations();
  bool ok = solver->encode(state.constant(), y) == Status::ok;
  y[0] += 1e-3;
  y[12] += 1e-3;
  ok = ok && solver->derivative(0, y, ydot) == Status::ok;
  ok = ok && solver->correct(0, y, correction) == Status::ok;
  ok = ok && solver->observe(0, y, o.observation) == Status::ok;
  ok = ok && solver->decode(y, state.view()) == Status::ok;
  y[0] = std::numeric_limits<double>::quiet_NaN();
  const bool failed = solver->derivative(0, y, ydot) == Status::failed;
  CHECK(allocations() == before);
  CHECK(ok);
  CHECK(failed);
  CHECK_FALSE(solver->failure().empty());
}

TEST_CASE("an undefined state fails in every call and never hangs", "[cartesian]") {
  HandBuilt m;
  build_tree(m);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  const std::vector<double> y = encoded(*solver, tree_state(view));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const std::size_t at_y : {0u, 4u, 8u, 11u}) {
      std::vector<double> wrong = y, ydot(y.size());
      wrong[at_y] = bad;
      Observed o(view);
      Correction correction;
      CHECK(solver->derivative(0, wrong, ydot) == Status::failed);
      CHECK_FALSE(solver->failure().empty());
      CHECK(solver->observe(0, wrong, o.observation) == Status::failed);
      CHECK(solver->correct(0, wrong, correction) == Status::failed);
    }
}

TEST_CASE("a joint that gives no number is named, and not a body for want of inertia", "[cartesian]") {
  HandBuilt m;
  const BodyIndex rod = add_rod(m, "rod", {}, 0), tip = m.add_body("tip", {{}, {1, 0, 0}}, 0, {}, {});
  m.revolute("pin", ground, rod, {}, z_axis);
  m.revolute("broken", rod, tip, {1, 0, 0}, {0, std::numeric_limits<double>::quiet_NaN(), 0});
  SolverPointer solver = make_cartesian(m.view());
  State state(m.view());
  std::vector<double> y(solver->state_size());
  CHECK(solver->encode(state.constant(), y) == Status::failed);
  const std::string failure(solver->failure());
  INFO(failure);
  CHECK(failure.find("`broken`") != std::string::npos);
  CHECK(failure.find("finite") != std::string::npos);
  CHECK(failure.find("no mass") == std::string::npos);
}
