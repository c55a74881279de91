// A joint with a table of any length: the cam, in the tree and as cut joint.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>

#include "polyform/mechanics/kinematics.hpp"
#include "tests/offers/offers.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double turn = 2 * std::numbers::pi;

/// Lifts of h sin angle at n equal angles.
std::string lifts(std::size_t n, double h) {
  std::vector<double> all;
  for (std::size_t k = 0; k < n; ++k)
    all.push_back(h * std::sin(turn * static_cast<double>(k) / static_cast<double>(n)));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string cams(const std::string& first, const std::string& second, double angle, double speed) {
  return fmt::format(R"(
polyform: 1
bodies:
  - {{name: a, mass: 2, center_of_mass: [0, 0, 0], inertia: {{xx: 0.01, yy: 0.01, zz: 0.02}}}}
  - {{name: b, position: [1, 0, 0], mass: 2, center_of_mass: [0, 0, 0], inertia: {{xx: 0.01, yy: 0.01, zz: 0.02}}}}
joints:
  - {{name: one, type: cam, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1], lift: {0}, initial: {{position: {2}, velocity: {3}}}}}
  - {{name: two, type: cam, base: ground, moving: b, position: [1, 0, 0], axis: [0, 0, 1], lift: {1}, initial: {{position: {2}, velocity: {3}}}}}
)",
                     first, second, angle, speed);
}

}  // namespace

TEST_CASE("cams with tables of different lengths move as their curves, in every formulation") {
  // (J + m s′²) q̈ + m s′ s″ q̇² + m g s′ = 0 with s = h sin q, which a spline of many points meets to h (2π/n)²
  constexpr double h = 0.03, q = 0.7, v = 9, m = 2, J = 0.02;
  const double slope = h * std::cos(q), curvature = -h * std::sin(q);
  const double expected = -m * slope * (curvature * v * v + 9.81) / (J + m * slope * slope);
  const auto system = system_from_text(cams(lifts(400, h), lifts(800, h), q, v));
  const auto all = formulations_for(*system);
  REQUIRE(all.size() >= 3);
  for (const Formulation* formulation : all) {
    INFO(formulation->name());
    Seen seen(*system, *formulation);
    for (const std::size_t k : {0u, 1u}) CHECK(seen.now().acceleration[k] == Approx(expected).epsilon(2e-4));
    CHECK(seen.now().bodies[0].pose.position.z == Approx(h * std::sin(q)).epsilon(1e-6));
  }
}

TEST_CASE("the curve of a cam is smooth, periodic and goes through its table") {
  const auto system = system_from_text(cams("[0, 0.02, -0.01, 0.03, 0.005]", "[1, 1.5, 2]", 0, 0));
  const JointData& joint = system->view().joints[0];
  REQUIRE(joint.kernel != nullptr);
  CHECK(joint.parameters.size() == 3 + 2 * 5);
  CHECK(system->view().joints[1].parameters.size() == 3 + 2 * 3);
  const auto at = [&](double q) {
    const double v = 1;
    JointMotion motion;
    joint.kernel->evaluate({.count = 1, .parameters = {&joint.parameters, 1}, .q = {&q, 1}, .v = {&v, 1}},
                           {&motion, 1});
    return motion;
  };
  const double table[] = {0, 0.02, -0.01, 0.03, 0.005};
  for (int k = -5; k < 10; ++k) CHECK(at(turn * k / 5).p_FM.z == Approx(table[(k + 5) % 5]).margin(1e-14));
  constexpr double d = 1e-5;
  for (double q = -8; q < 15; q += 0.37) {
    CHECK(at(q).H[0].linear.z == Approx((at(q + d).p_FM.z - at(q - d).p_FM.z) / (2 * d)).margin(1e-9));
    CHECK(at(q).bias.linear.z == Approx((at(q + d).H[0].linear.z - at(q - d).H[0].linear.z) / (2 * d)).margin(1e-8));
  }
  for (int k = 0; k < 5; ++k) {  // of second order across the points
    const double q = turn * k / 5;
    CHECK(at(q + 1e-9).bias.linear.z == Approx(at(q - 1e-9).bias.linear.z).margin(1e-8));
  }
}

TEST_CASE("a cam closes a loop") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: cam, mass: 2, center_of_mass: [0, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.02}}
  - {name: post, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: lift, type: prismatic, base: ground, moving: post, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: pin, type: revolute, base: post, moving: cam, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 4}}
  - {name: groove, type: cam, base: ground, moving: cam, position: [0, 0, 0], axis: [0, 0, 1], lift: [0, 0.02, -0.01, 0.03], cut: true}
)");
  const auto all = formulations_for(*system);
  REQUIRE(all.size() >= 3);
  Seen first(*system, *all.front());
  const std::vector<double> expected(first.now().acceleration.begin(), first.now().acceleration.end());
  for (const Formulation* formulation : all) {
    INFO(formulation->name());
    Seen seen(*system, *formulation);
    for (std::size_t k = 0; k < expected.size(); ++k)
      CHECK(seen.now().acceleration[k] == Approx(expected[k]).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("a table of two lifts is refused") {
  CHECK_THAT(assembled(cams("[0, 1]", "[0, 1, 0]", 0, 0)).first,
             Catch::Contains("three lifts at least, not 2") && Catch::Contains("lift"));
}

TEST_CASE("lifts that are too large to compute with are refused by their field") {
  for (const char* const lift : {"[0, 1e308, 0, -1e308]", "[0, 1e200, 0, 3]"}) {
    const std::string said = assembled(cams(lift, "[1, 1.5, 2]", 0, 0)).first;
    INFO(said);
    CHECK_THAT(said, Catch::Contains("joints[0].lift") && Catch::Contains("so large"));
  }
}
