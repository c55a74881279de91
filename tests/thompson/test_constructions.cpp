// The two constructions of H2, and the forms of the equations.
#include <Eigen/QR>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "polyform/mechanics/constraint.hpp"
#include "tests/support/random_model.hpp"
#include "tests/thompson/tree_bench.hpp"

using namespace polyform;
using namespace polyform::test;
using thompson::Construction;

namespace {

/// The part of the columns of A outside the column space of B, relative.
double outside(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const Eigen::MatrixXd solution = B.colPivHouseholderQr().solve(A);
  return (A - B * solution).norm() / A.norm();
}

}  // namespace

TEST_CASE("the null space of the Jacobian and H_a^-1 H_b span the same velocities") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    const std::string model = random_model({.seed = seed, .bodies = 3 + static_cast<int>(seed % 8)});
    TreeBench by_velocities(model, Construction::velocity), by_null_space(model, Construction::null_space);
    const Eigen::MatrixXd A = by_velocities.H2(), B = by_null_space.H2();
    REQUIRE(A.cols() == B.cols());
    if (A.cols() == 0) continue;
    CHECK(outside(A, B) < 1e-11);
    CHECK(outside(B, A) < 1e-11);
  }
}

TEST_CASE("no column of H2 violates a constraint of a joint") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const Construction construction : {Construction::velocity, Construction::null_space}) {
      INFO("seed " << seed);
      TreeBench bench(random_model({.seed = seed, .bodies = 7}), construction);
      const SystemView& view = bench.view();
      const Eigen::MatrixXd H2 = bench.H2();
      for (int k = 0; k < static_cast<int>(H2.cols()); ++k) {
        std::vector<BodyMotion> moved(bench.tree().bodies().begin(), bench.tree().bodies().end());
        for (std::size_t i = 0; i < moved.size(); ++i) {
          const Eigen::VectorXd x = H2.col(k).segment(6 * static_cast<int>(i), 6);
          const Vec3 w = moved[i].R * Vec3{x[3], x[4], x[5]};
          moved[i].V = {w, Vec3{x[0], x[1], x[2]} - cross(w, moved[i].R * view.bodies[i].center_of_mass)};
        }
        for (const JointData& joint : view.tree_joints()) {
          double q[7], v[6];
          joint_neutral(joint, q);
          JointConstraint c;
          joint_constraint(joint, motion_of(joint.base, moved), motion_of(joint.moving, moved), q, v, c);
          for (std::size_t r = 0; r < c.rows; ++r)
            CHECK(std::abs(dot(c.T[r], c.relative.twist)) < 1e-11 * (1 + H2.col(k).norm()));
        }
      }
    }
}

TEST_CASE("the rate of H2 times the velocities is the derivative of H2 along the motion") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    TreeBench bench(random_model({.seed = seed, .bodies = 6}), Construction::velocity);
    const Eigen::Map<const Eigen::VectorXd> v(bench.velocities().data(), static_cast<int>(bench.view().nv_tree));
    const Eigen::VectorXd rate = bench.rate_times_velocities();
    constexpr double h = 2e-4;
    const auto moved = [&](double time) {
      bench.at(time);
      return Eigen::VectorXd(bench.H2() * v);
    };
    const Eigen::VectorXd slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
    CHECK((slope - rate).norm() < 1e-7 * (1 + rate.norm()));
  }
}

TEST_CASE("all constructions and forms give the accelerations and reactions of the recursion, on random trees") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 3 + static_cast<int>(seed % 9)}));
    const auto expected = observe(*system, *solver_for(*system, formulation_named("riccati")));
    for (const SolverOptions& options : variants()) {
      INFO("seed " << seed << ", " << text_of(options));
      const Difference d = difference(expected->now(), observe_with(*system, options)->now());
      CHECK(d.acceleration < 1e-10);
      CHECK(d.reaction < 1e-10);
    }
  }
}

TEST_CASE("all constructions and forms agree on loops, with and without redundant constraints") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto system = system_from_text(random_model(
        {.seed = seed, .bodies = 6, .loops = 1 + static_cast<int>(seed % 3), .loops_are_redundant = seed % 2 == 0}));
    const auto expected = observe(*system, *solver_for(*system, formulation_named("cartesian")));
    for (const SolverOptions& options : variants()) {
      INFO("seed " << seed << ", " << text_of(options));
      CHECK(difference(expected->now(), observe_with(*system, options)->now()).acceleration < 1e-9);
    }
  }
}

TEST_CASE("all constructions and forms agree on the shipped mechanisms") {
  for (const char* name : {"bennett", "bricard", "planar_3rrr", "four_bar_rhombus", "ladder_1", "ladder_40", "vehicle",
                           "branch_pendulum", "free_body", "heavy_top", "random_tree", "double_pendulum"}) {
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
    const auto expected = observe(*system, *solver_for(*system, formulation_named("cartesian")));
    for (const SolverOptions& options : variants()) {
      INFO(name << ", " << text_of(options));
      if (!refusal(*system, options).empty()) continue;  // large in an implicit form: test_loops.cpp
      CHECK(difference(expected->now(), observe_with(*system, options)->now()).acceleration < 1e-9);
    }
  }
}

TEST_CASE("reactions are those of the reference where constraint elements act on bodies and joints") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: arm, mass: 2, center_of_mass: [0.4, 0, 0.1], inertia: {xx: 0.15, yy: 0.2, zz: 0.3}}
  - {name: sledge, position: [1, 0, 0], mass: 1, center_of_mass: [0.3, 0.1, 0], inertia: {xx: 0.05, yy: 0.04, zz: 0.06}}
joints:
  - {name: drive, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.1, velocity: 2}}
  - {name: swing, type: spherical, base: sledge, moving: arm, position: [1, 0, 0], initial: {velocity: [0.5, -1, 1.5]}}
constraints:
  - {name: motor, type: prescribed-motion, joint: drive, motion: {polynomial: [0.1, 2, 0.7]}}
)");
  const auto expected = observe(*system, *solver_for(*system, formulation_named("cartesian")));
  for (const SolverOptions& options : variants()) {
    INFO(text_of(options));
    const Difference d = difference(expected->now(), observe_with(*system, options)->now());
    CHECK(d.acceleration < 1e-10);
    CHECK(d.reaction < 1e-10);
  }
}
