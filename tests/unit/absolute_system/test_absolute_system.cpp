#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "mechanisms.hpp"
#include "polyform/solvers/absolute_system.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Bodies at a canonical state.
std::vector<BodyMotion> motions(const SystemView& view, const State& state) {
  TreeKinematics tree(view);
  tree.evaluate(state.q.data(), state.v.data());
  return {tree.bodies().begin(), tree.bodies().end()};
}
std::vector<Pose> poses(const SystemView& view, const State& state) {
  TreeKinematics tree(view);
  tree.evaluate(state.q.data(), state.v.data());
  std::vector<Quat> orientations(view.bodies.size());
  tree.orientations(state.q.data(), orientations);
  std::vector<Pose> out;
  for (std::size_t i = 0; i < orientations.size(); ++i) out.push_back({orientations[i], tree.bodies()[i].p});
  return out;
}

struct Solution {
  bool ok;
  std::vector<Spatial> accelerations;
  const AbsoluteAccelerations* found = nullptr;
};
Solution solve(AbsoluteSystem& system, const SystemView& view, State& state) {
  const std::vector<Spatial> no_wrenches(view.bodies.size());
  const std::vector<double> no_efforts(view.nv);
  Solution s{false, std::vector<Spatial>(view.bodies.size())};
  system.evaluate(0, motions(view, state), state.q, state.v);
  s.found = system.accelerations(no_wrenches, no_efforts);
  s.ok = s.found != nullptr;
  for (std::size_t i = 0; s.ok && i < view.bodies.size(); ++i) s.accelerations[i] = s.found->of_center(i);
  return s;
}

/// M-weighted product of velocity differences (twists at the frame origins) of two motions.
double inertia_product(const SystemView& view, std::span<const BodyMotion> at, std::span<const Spatial> a,
                       std::span<const Spatial> b) {
  double sum = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const Vec3 c = at[i].R * view.bodies[i].center_of_mass;
    const Vec3 va = a[i].linear + cross(a[i].angular, c), vb = b[i].linear + cross(b[i].angular, c);
    sum +=
        view.bodies[i].mass * dot(va, vb) + dot(a[i].angular, rotate(at[i].R, view.bodies[i].inertia) * b[i].angular);
  }
  return sum;
}

}  // namespace

TEST_CASE("a pendulum accelerates by its closed form and its pin carries the rest", "[absolute_system]") {
  HandBuilt m({0, -9.81, 0});
  m.revolute("pin", ground, add_rod(m, "rod", {}, 0, 2), {}, z_axis);
  const SystemView& view = m.view();
  State state(view);
  const double angle = 0.7, rate = 1.3, J = 2.0 / 3;  // about the pin
  state.q[0] = angle;
  state.v[0] = rate;
  AbsoluteSystem system(view);
  const Solution s = solve(system, view, state);
  REQUIRE(s.ok);
  const double alpha = -2 * 9.81 * 0.5 * std::cos(angle) / J;
  CHECK(s.accelerations[0].angular.z == Approx(alpha).epsilon(1e-13));
  std::vector<double> vdot(1);
  s.found->joint_accelerations(vdot);
  CHECK(vdot[0] == Approx(alpha).epsilon(1e-13));
  // Newton's law of the mass centre gives the force in the pin.
  const Vec3 a = 0.5 * (alpha * Vec3{-std::sin(angle), std::cos(angle), 0} -
                        rate * rate * Vec3{std::cos(angle), std::sin(angle), 0});
  const Spatial reaction = s.found->reaction(0);
  CHECK(reaction.linear.x == Approx(2 * a.x).epsilon(1e-12));
  CHECK(reaction.linear.y == Approx(2 * (a.y + 9.81)).epsilon(1e-12));
  CHECK(std::abs(reaction.linear.z) < 1e-12);
  CHECK(norm(reaction.angular) < 1e-12);
}

TEST_CASE("masses of very different size do not spoil each other", "[absolute_system]") {
  // A light rod on a heavy one: accelerations of the heavy one are nearly those without the light one.
  HandBuilt m({0, -9.81, 0});
  const BodyIndex heavy = add_rod(m, "heavy", {}, 0, 1e6), light = add_rod(m, "light", {1, 0, 0}, 0, 1e-3);
  m.revolute("a", ground, heavy, {}, z_axis);
  m.revolute("b", heavy, light, {1, 0, 0}, z_axis);
  const SystemView& view = m.view();
  State state(view);
  AbsoluteSystem system(view);
  const Solution s = solve(system, view, state);
  REQUIRE(s.ok);
  CHECK(s.accelerations[0].angular.z == Approx(-1.5 * 9.81).epsilon(1e-8));
  // The tip of the heavy rod falls with 1.5 g, so the light rod, seen from there, is thrown up by g/2.
  CHECK(s.accelerations[1].angular.z == Approx(1.5 * 0.5 * 9.81).epsilon(1e-8));
}

TEST_CASE("redundant constraints of a planar loop leave the accelerations exact", "[absolute_system]") {
  HandBuilt m({0, -9.81, 0});
  build_four_bar(m);
  const SystemView& view = m.view();
  State state(view);
  AbsoluteSystem system(view);
  const Solution s = solve(system, view, state);
  REQUIRE(s.ok);
  // Lagrange: the links turn together, link 2 translates; (2/3 + 1) θ̈ = −2 g cos θ at rest.
  const double alpha = -2 * 9.81 * 0.5 / (2.0 / 3 + 1);
  CHECK(s.accelerations[0].angular.z == Approx(alpha).epsilon(1e-13));
  CHECK(std::abs(s.accelerations[1].angular.z) < 1e-12);
  CHECK(s.accelerations[2].angular.z == Approx(alpha).epsilon(1e-13));
  // Forces that redundancy leaves open (forces along z, moments about x and y) come out as zero.
  for (std::size_t j = 0; j < 4; ++j) CHECK(std::abs(s.found->reaction(j).linear.z) < 1e-9);
}

TEST_CASE("a body without mass between two joints is no trouble", "[absolute_system]") {
  // A massless link carries a rod: the same as a universal joint of two revolutes.
  HandBuilt m({0, 0, -9.81});
  const BodyIndex cross_piece = m.add_body("cross", {}, 0, {}, {});
  const BodyIndex rod = add_rod(m, "rod", {}, 0);
  m.revolute("a", ground, cross_piece, {}, {0, 1, 0});
  m.revolute("b", cross_piece, rod, {}, z_axis);
  HandBuilt direct({0, 0, -9.81});
  const BodyIndex same = add_rod(direct, "rod", {}, 0);
  direct.add_joint("u", ground, same, {},
                   {{Primitive::Kind::rotation, {0, 1, 0}}, {Primitive::Kind::rotation, z_axis}});
  State state(m.view()), state_direct(direct.view());
  state.q = state_direct.q = {0.3, 0.4};
  state.v = state_direct.v = {1.1, -0.6};
  AbsoluteSystem system(m.view()), system_direct(direct.view());
  const Solution s = solve(system, m.view(), state), d = solve(system_direct, direct.view(), state_direct);
  REQUIRE(s.ok);
  REQUIRE(d.ok);
  CHECK(norm(s.accelerations[1].angular - d.accelerations[0].angular) < 1e-11);
  CHECK(norm(s.accelerations[1].linear - d.accelerations[0].linear) < 1e-11);
  CHECK(system.check_regular());
}

TEST_CASE("a body without mass that nothing holds is named", "[absolute_system]") {
  HandBuilt m;
  const BodyIndex rod = add_rod(m, "rod", {}, 0);
  const BodyIndex ghost = m.add_body("ghost", {{}, {1, 0, 0}}, 0, {}, {});
  m.revolute("a", ground, rod, {}, {0, 1, 0});
  m.revolute("b", rod, ghost, {1, 0, 0}, {0, 1, 0});
  State state(m.view());
  AbsoluteSystem system(m.view());
  system.evaluate(0, motions(m.view(), state), state.q, state.v);
  REQUIRE_FALSE(system.check_regular());
  CHECK(std::string(system.failure()).find("`ghost`") != std::string::npos);
}

TEST_CASE("projected velocities respect the constraints and are the nearest in the inertia metric",
          "[absolute_system]") {
  HandBuilt m({0, -9.81, 0});
  build_four_bar(m);
  const SystemView& view = m.view();
  State state(view);
  std::vector<BodyMotion> bodies = motions(view, state);
  std::vector<Spatial> before, correction, allowed;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double k = static_cast<double>(i);
    bodies[i].V = {{0.3 - k, 0.1 * k, 0.5}, {1, -0.4 * k, 0.2}};
    before.push_back(bodies[i].V);
  }
  AbsoluteSystem system(view);
  double violation = 0;
  REQUIRE(system.project_velocities(0, bodies, state.q, state.v, violation));
  CHECK(violation > 0.1);
  const double w = bodies[0].V.angular.z;
  CHECK(state.v[0] == Approx(w));
  CHECK(bodies[2].V.angular.z == Approx(w));
  CHECK(norm(bodies[1].V.angular) < 1e-12);
  for (std::size_t i = 0; i < bodies.size(); ++i) correction.push_back(bodies[i].V - before[i]);
  // The correction is orthogonal to every allowed velocity, that is to the one motion the mechanism has.
  for (const BodyMotion& b : bodies) allowed.push_back(b.V);
  CHECK(std::abs(inertia_product(view, bodies, correction, allowed)) < 1e-12);
  // Projecting again changes nothing.
  std::vector<BodyMotion> again = bodies;
  REQUIRE(system.project_velocities(0, again, state.q, state.v, violation));
  CHECK(violation < 1e-14);
  for (std::size_t i = 0; i < bodies.size(); ++i) CHECK(norm(again[i].V.linear - bodies[i].V.linear) < 1e-14);
}

TEST_CASE("a loop drawn far open is closed", "[absolute_system]") {
  HandBuilt m;
  build_four_bar(m);
  State state(m.view());
  state.q = {0.9, -0.7, 0.5, 0};  // link 1, link 2 and link 3 turned each its own way
  std::vector<Pose> bodies = poses(m.view(), state);
  AbsoluteSystem system(m.view());
  PositionCorrection correction;
  REQUIRE(system.correct_positions(0, bodies, state.q, 1e-10, correction));
  CHECK(correction.residual_before > 0.1);
  CHECK(correction.residual < 1e-13);
  CHECK(correction.iterations < 30);
  for (const Pose& pose : bodies) CHECK(norm(pose.orientation) == Approx(1));
}

TEST_CASE("a ring of a hundred bodies is closed from a residual of metres", "[absolute_system]") {
  // An open polygon of revolute joints: each rod is turned by a little less than what closes it.
  const std::size_t n = 100;
  HandBuilt m;
  const double turn = 2 * std::numbers::pi / static_cast<double>(n);
  Vec3 at{};
  std::vector<BodyIndex> rods;
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < n - 1; ++i) {
    const double angle = turn * static_cast<double>(i);
    rods.push_back(add_rod(m, fmt::format("rod{}", i), at, angle));
    corners.push_back(at);
    at += Vec3{std::cos(angle), std::sin(angle), 0};
  }
  for (std::size_t i = 0; i < rods.size(); ++i)
    m.revolute(fmt::format("j{}", i), i == 0 ? ground : rods[i - 1], rods[i], corners[i], z_axis);
  m.revolute("cut", rods.back(), ground, at, z_axis);
  State state(m.view());
  for (std::size_t i = 0; i < rods.size(); ++i) state.q[i] = 0.02 * std::sin(3.0 * static_cast<double>(i)) - 0.01;
  std::vector<Pose> bodies = poses(m.view(), state);
  AbsoluteSystem system(m.view());
  PositionCorrection correction;
  REQUIRE(system.correct_positions(0, bodies, state.q, 1e-10, correction));
  CHECK(correction.residual_before > 1);
  CHECK(correction.residual < 1e-12);
}

TEST_CASE("positions that cannot be met are named", "[absolute_system]") {
  HandBuilt m;
  build_four_bar(m);
  m.joint(joint_index(2)).p_base = {5, 0, 0};  // three links of 1 m do not reach there
  const SystemView& view = m.view();
  State state(view);
  AbsoluteSystem system(view);
  std::vector<Pose> bodies = poses(view, state);
  PositionCorrection correction;
  REQUIRE_FALSE(system.correct_positions(0, bodies, state.q, 1e-10, correction));
  CHECK(std::string(system.failure()).find("joint `") != std::string::npos);
  CHECK(correction.residual > 0.1);
}

TEST_CASE("an undefined state is an error and no endless loop", "[absolute_system]") {
  HandBuilt m;
  build_four_bar(m);
  const SystemView& view = m.view();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300}) {
    State state(view);
    std::vector<Pose> bodies = poses(view, state);
    bodies[1].position.x = bad;
    AbsoluteSystem system(view);
    PositionCorrection correction;
    CHECK_FALSE(system.correct_positions(0, bodies, state.q, 1e-10, correction));
    CHECK_FALSE(system.failure().empty());
  }
}
