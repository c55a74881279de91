// Flexible bodies in the reference formulation, against rigid systems that are the same and against what is conserved.
#include <catch2/catch.hpp>

#include "flexible_systems.hpp"
#include "polyform/solvers/absolute_system.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

Observed observed(Solver& solver, const SystemView& view, const std::vector<double>& y, double t = 0) {
  Observed o(view);
  REQUIRE(solver.observe(t, y, o.observation) == Status::ok);
  return o;
}
std::vector<double> encoded(Solver& solver, const State& state) {
  std::vector<double> y(solver.state_size());
  REQUIRE(solver.encode(state.constant(), y) == Status::ok);
  return y;
}
/// Momentum about the ground origin: of the rigid bodies and hubs, and of the particles of the flexible bodies.
Spatial momentum_of(const SystemView& view, const LumpedBody& type, const Observed& o) {
  Spatial sum;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const BodyData& body = view.bodies[i];
    const Mat3 R = rotation_matrix(o.bodies[i].pose.orientation);
    const Vec3 p = o.bodies[i].pose.position, v = o.bodies[i].velocity, w = o.bodies[i].angular_velocity;
    const auto add = [&](double mass, const Vec3& r, const Vec3& rate) {
      const Vec3 f = mass * (v + cross(w, R * r) + R * rate);
      sum += Spatial{cross(p + R * r, f), f};
    };
    sum.angular += rotate(R, body.inertia) * w;
    add(body.mass, body.center_of_mass, {});
    if (body.flexible == rigid) continue;
    for (const LumpedBody::Particle& q : type.particles())
      add(q.mass, LumpedBody::place(q, o.state.eta), LumpedBody::place(q, o.state.etadot) - q.point);
  }
  return sum;
}
double total(const Observed& o) { return o.observation.kinetic_energy + o.observation.potential_energy; }

}  // namespace

TEST_CASE("a mode that displaces a particle is a slider on the hub", "[cartesian]") {
  // Hub on a spherical joint; a particle on a spring slides along the y axis of the hub; a rod hangs on it by a ball.
  const Sym3 inertia{0.03, 0.05, 0.06, 0.004, 0, -0.003};
  const Vec3 place{0.6, 0.1, -0.2};
  const LumpedBody type({{0.5, place, {{0, 1, 0}}, {}}}, {35}, {0.4});
  const auto rod = [](HandBuilt& m, BodyIndex carrier, const Vec3& at) {
    const BodyIndex b = m.add_body("rod", {{}, at}, 0.8, {0.3, 0, 0.1}, {0.01, 0.04, 0.04, 0, 0, 0});
    m.spherical("ball", carrier, b, at);
  };
  HandBuilt flexible({0.3, -1, -9.81});
  const BodyIndex hub = flexible.add_body("hub", {}, 1.5, {0.2, 0, 0.1}, inertia);
  flexible.spherical("root", ground, hub, {});
  rod(flexible, hub, place);
  flexible.set_flexible(hub, type);

  HandBuilt rigid_parts({0.3, -1, -9.81});
  const BodyIndex base = rigid_parts.add_body("hub", {}, 1.5, {0.2, 0, 0.1}, inertia);
  const BodyIndex slider = rigid_parts.add_body("slider", {{}, place}, 0.5, {}, {});
  rigid_parts.spherical("root", ground, base, {});
  rigid_parts.add_joint("slide", base, slider, place, {{Primitive::Kind::translation, {0, 1, 0}}});
  rod(rigid_parts, slider, place);

  const SystemView& view = flexible.view();
  const SystemView& same = rigid_parts.view();
  State state(view), of_same(same);
  const double eta = 0.15, etadot = -0.8;
  state.eta[0] = eta;
  state.etadot[0] = etadot;
  const Quat turned = normalized(Quat{0.8, 0.3, -0.2, 0.4}), hanging = normalized(Quat{0.9, -0.1, 0.5, 0.1});
  const std::vector<double> root{turned.w, turned.x, turned.y, turned.z},
      ball{hanging.w, hanging.x, hanging.y, hanging.z};
  const std::vector<double> root_rate{1, -0.7, 2}, ball_rate{-1, 0.3, 0.6};
  const auto join = [](std::vector<double> a, const std::vector<double>& b, const std::vector<double>& c) {
    a.insert(a.end(), b.begin(), b.end());
    a.insert(a.end(), c.begin(), c.end());
    return a;
  };
  state.q = join(root, {}, ball);
  state.v = join(root_rate, {}, ball_rate);
  of_same.q = join(root, {eta}, ball);
  of_same.v = join(root_rate, {etadot}, ball_rate);

  const SolverPointer solver = make_cartesian(view);
  const Observed o = observed(*solver, view, encoded(*solver, state));
  // The spring and damper of the slider as an effort.
  AbsoluteSystem system(same);
  TreeKinematics tree(same);
  tree.evaluate(of_same.q.data(), of_same.v.data());
  system.evaluate(0, tree.bodies(), of_same.q, of_same.v);
  std::vector<Spatial> none(3), accelerations(3);
  std::vector<double> efforts(same.nv), vdot(same.nv);
  efforts[3] = -35 * eta - 0.4 * etadot;
  REQUIRE(system.accelerations(none, efforts, accelerations));
  system.joint_accelerations(vdot);
  CHECK(o.modal_acceleration[0] == Approx(vdot[3]).epsilon(1e-10));
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(o.acceleration[k] == Approx(vdot[k]).epsilon(1e-10));
    CHECK(o.acceleration[3 + k] == Approx(vdot[4 + k]).epsilon(1e-10));
    CHECK(o.bodies[0].angular_acceleration[k] == Approx(system.origin_acceleration(0).angular[k]).epsilon(1e-10));
    CHECK(o.bodies[1].acceleration[k] == Approx(system.origin_acceleration(2).linear[k]).epsilon(1e-10));
    CHECK(o.reactions[0].linear[k] == Approx(system.reaction(0).linear[k]).epsilon(1e-10));
    CHECK(o.reactions[1].linear[k] == Approx(system.reaction(2).linear[k]).epsilon(1e-10));
  }
  CHECK(o.observation.power == Approx(-0.4 * etadot * etadot).epsilon(1e-12));
  CHECK(o.observation.position_violation < 1e-14);
  CHECK(o.observation.velocity_violation < 1e-14);
}

TEST_CASE("the state of flexible bodies survives encoding and decoding", "[cartesian]") {
  SpatialChain chain;
  const SystemView& view = chain.m.view();
  const State state = chain.state();
  const SolverPointer solver = make_cartesian(view);
  State back(view);
  REQUIRE(solver->decode(encoded(*solver, state), back.view()) == Status::ok);
  CHECK(distance(state.q, back.q) < 1e-14);
  CHECK(distance(state.v, back.v) < 1e-13);
  CHECK(distance(state.eta, back.eta) == 0);
  CHECK(distance(state.etadot, back.etadot) == 0);
}

TEST_CASE("a spatial chain with a flexible body conserves energy", "[cartesian]") {
  SpatialChain chain;
  const SystemView& view = chain.m.view();
  const SolverPointer solver = make_cartesian(view);
  std::vector<double> y = encoded(*solver, chain.state());
  const Observed start = observed(*solver, view, y);
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 5e-4, 2000));
  const Observed end = observed(*solver, view, y, t);
  CHECK(total(end) == Approx(total(start)).epsilon(1e-9));
  CHECK(std::abs(end.observation.kinetic_energy - start.observation.kinetic_energy) > 0.1);
  CHECK(end.observation.position_violation < 1e-10);
}

TEST_CASE("damping of modes takes the energy that its power says", "[cartesian]") {
  SpatialChain chain(0.8);
  const SystemView& view = chain.m.view();
  const SolverPointer solver = make_cartesian(view);
  std::vector<double> y = encoded(*solver, chain.state());
  double t = 0, work = 0;
  const double before = total(observed(*solver, view, y)), step = 1e-3;
  for (int i = 0; i < 100; ++i) {  // Simpson's rule over pairs of steps
    const double first = observed(*solver, view, y, t).observation.power;
    REQUIRE(integrate(*solver, y, t, step, 1));
    const double middle = observed(*solver, view, y, t).observation.power;
    REQUIRE(integrate(*solver, y, t, step, 1));
    work += step / 3 * (first + 4 * middle + observed(*solver, view, y, t).observation.power);
  }
  CHECK(work < -0.01);
  CHECK(total(observed(*solver, view, y, t)) - before == Approx(work).epsilon(1e-7));
}

TEST_CASE("the reaction at ground and the weight change the momentum of a chain with a flexible body", "[cartesian]") {
  SpatialChain chain(0.3);
  const SystemView& view = chain.m.view();
  const SolverPointer solver = make_cartesian(view);
  const std::vector<double> y = encoded(*solver, chain.state());
  std::vector<double> rate(y.size()), shifted(y.size());
  REQUIRE(solver->derivative(0, y, rate) == Status::ok);
  const double h = 1e-5;
  Spatial change;
  for (const double side : {-1.0, 1.0}) {
    for (std::size_t i = 0; i < y.size(); ++i) shifted[i] = y[i] + side * h * rate[i];
    change += (side / (2 * h)) * momentum_of(view, chain.flexible, observed(*solver, view, shifted));
  }
  const Observed o = observed(*solver, view, y);
  Spatial load = o.reactions[0];  // at the ground origin
  const auto add_weight = [&](double mass, const Vec3& place) {
    const Vec3 f = mass * view.gravity;
    load += Spatial{cross(place, f), f};
  };
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const Mat3 R = rotation_matrix(o.bodies[i].pose.orientation);
    add_weight(view.bodies[i].mass, o.bodies[i].pose.position + R * view.bodies[i].center_of_mass);
    if (view.bodies[i].flexible == rigid) continue;
    for (const LumpedBody::Particle& p : chain.flexible.particles())
      add_weight(p.mass, o.bodies[i].pose.position + R * LumpedBody::place(p, o.state.eta));
  }
  CHECK(norm(change.linear - load.linear) < 1e-6);
  CHECK(norm(change.angular - load.angular) < 1e-6);
}

TEST_CASE("a free spatial body with modes conserves energy and momentum", "[cartesian]") {
  const LumpedBody type = spatial_body();
  const double hub = GENERATE(0.0, 0.9);
  HandBuilt m(Vec3{});
  const BodyIndex body = m.add_body("body", {}, hub, {0.1, -0.2, 0.1}, {hub * 0.02, hub * 0.03, hub * 0.04, 0, 0, 0});
  m.free("free", body);
  m.set_flexible(body, type);
  const SystemView& view = m.view();
  REQUIRE(view.nodes.empty());
  const SolverPointer solver = make_cartesian(view);
  State state(view);
  state.v = {0.3, -0.2, 0.5, 1.5, -2, 0.7};
  state.eta = {0.2, -0.1, 0.15};
  state.etadot = {1, 0.5, -2};
  std::vector<double> y = encoded(*solver, state);
  const auto momentum = [&](const Observed& o) { return momentum_of(view, type, o); };
  const Observed start = observed(*solver, view, y);
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 5e-4, 4000));
  const Observed end = observed(*solver, view, y, t);
  CHECK(total(end) == Approx(total(start)).epsilon(1e-9));
  CHECK(norm(momentum(end).linear - momentum(start).linear) < 1e-9);
  CHECK(norm(momentum(end).angular - momentum(start).angular) < 1e-9);
}

TEST_CASE("positions and velocities of flexible bodies return to the constraints", "[absolute_system]") {
  SpatialChain chain;
  const SystemView& view = chain.m.view();
  State s = chain.state();
  TreeKinematics tree(view);
  tree.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
  std::vector<Quat> orientations(view.frames());
  tree.orientations(s.q.data(), orientations, s.eta.data());
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) poses.push_back({orientations[i], tree.bodies()[i].p});
  poses[1].position += Vec3{1e-3, -2e-3, 1e-3};
  const std::vector<double> given_eta = s.eta;
  AbsoluteSystem system(view);
  PositionCorrection correction;
  REQUIRE(system.correct_positions(0, poses, s.q, 1e-10, correction, s.eta));
  CHECK(correction.residual_before > 1e-4);
  CHECK(correction.residual < 1e-13);
  CHECK(correction.iterations < 8);
  CHECK(distance(given_eta, s.eta) > 0);

  std::vector<BodyMotion> bodies(tree.bodies().begin(), tree.bodies().end());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].R = rotation_matrix(poses[i].orientation);
    bodies[i].p = poses[i].position;
  }
  const std::vector<double> given_rates = s.etadot;
  double violation = 0;
  REQUIRE(system.project_velocities(0, bodies, s.q, s.v, violation, true, s.eta, s.etadot));
  CHECK(violation > 1e-4);
  CHECK(distance(given_rates, s.etadot) > 1e-15);
  system.evaluate(0, bodies, s.q, s.v, s.eta, s.etadot);
  CHECK(system.position_violation() < 1e-13);
  CHECK(system.velocity_violation() < 1e-12);
}
