// Clearance: a covariance R of the measurements that joints are (Eqs 4.17, 4.18).
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "framework/diagnostics.hpp"
#include "tests/hierarchy/solver_with.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81;

std::unique_ptr<host::ObservationStore> with_clearance(const host::System& system, const std::string& clearance,
                                                       const std::string& method = "udwadia-kalaba") {
  return observe_with(system, {{"clearance", clearance}, {"correction", "none"}, {"method", method}});
}

}  // namespace

TEST_CASE("a joint with covariance R gives way by R times its force") {
  // Innovation g, S = 1/m + R: the bolt carries g/S, and the body falls with R times that.
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: body, mass: 4, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: bolt, type: fixed, base: ground, moving: body, position: [0, 0, 0]}
)");
  for (const char* method : {"udwadia-kalaba", "square-root-free"})
    for (const double R : {1e-6, 0.25, 100.0}) {
      INFO(method << ", R = " << R);
      const auto store = with_clearance(*system, "bolt=" + std::to_string(R), method);
      const double force = g / (1 / 4.0 + R);
      CHECK(store->now().reactions[0].linear.z == Approx(force).epsilon(1e-12));
      CHECK(store->now().bodies[0].acceleration.z == Approx(-R * force).epsilon(1e-9));
    }
}

TEST_CASE("clearance that vanishes leaves the ideal joint, in proportion to R") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr.yaml");
  const auto ideal = observe_with(*system, {});
  double before = 0;
  for (const double R : {1e-2, 1e-4, 1e-6, 1e-8}) {
    const auto store = with_clearance(*system, fmt::format("C1={}, B2={}", R, R));
    const double error = difference(ideal->now(), store->now());
    if (before > 0) CHECK(error / before == Approx(1e-2).epsilon(0.2));
    before = error;
  }
  CHECK(difference(ideal->now(), with_clearance(*system, "C1=0, B2=0")->now()) < 1e-14);
}

TEST_CASE("a joint that gives way in a redundant loop is no contradiction, in one dense module either") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr.yaml");
  const GivenOptions found{{"clearance", "C1=+1e-3"}, {"correction", "none"}};
  GivenOptions flat = found;
  flat.emplace_back("subsystems", "flat");
  CHECK(difference(observe_with(*system, found)->now(), observe_with(*system, flat)->now()) < 1e-9);
}

TEST_CASE("one row of a joint gives way, and the others hold") {
  // The six rows of a bolt give way one after the other; only the row along z lets the body fall.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [1, 2, -9.81]
bodies:
  - {name: body, mass: 4, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: bolt, type: fixed, base: ground, moving: body, position: [0, 0, 0]}
)");
  const double R = 0.25;
  std::size_t giving = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    const Observation::Body body = with_clearance(*system, fmt::format("bolt[{}]={}", k, R))->now().bodies[0];
    if (std::abs(body.acceleration.z) < 1e-12) continue;
    ++giving;
    CHECK(body.acceleration.z == Approx(-R * g / (1 / 4.0 + R)).epsilon(1e-9));
    CHECK(std::abs(body.acceleration.x) + std::abs(body.acceleration.y) < 1e-12);
  }
  CHECK(giving == 1);
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "bolt[6]=1"}}), Catch::Contains("has 6 rows"));
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "bolt[1]=1, bolt=1"}}), Catch::Contains("twice for `bolt`"));
}

TEST_CASE("constraint elements and modules give way by R times their multiplier") {
  // A motion that is asked for, and a gear: v̇ = a + R λ, with λ what else the inertia would need.
  const auto asked = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: body, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 0.5}}
joints:
  - {name: pin, type: revolute, base: ground, moving: body, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: load, type: joint-force, joint: pin, effort: 3}
constraints:
  - {name: hold, type: prescribed-motion, joint: pin, motion: {polynomial: [0, 0, 1]}}
)");
  for (const double R : {0.0, 1e-3, 0.5, 20.0}) {
    // 0.5 v̇ = 3 + λ and v̇ + R λ = 2.
    const double lambda = (2 - 3 / 0.5) / (1 / 0.5 + R);
    const auto store = with_clearance(*asked, fmt::format("hold={}", R));
    CHECK(store->now().acceleration[0] == Approx((3 + lambda) / 0.5).epsilon(1e-11));
    CHECK(store->now().constraint_multipliers[0] == Approx(lambda).epsilon(1e-11));
  }
  const auto geared = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: body, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 0.5}}
joints:
  - {name: pin, type: revolute, base: ground, moving: body, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: motor, type: dc-motor, joint: pin, voltage: 0, resistance: 1, inductance: 0.1, torque_constant: 0.2,
     gear_ratio: 5, rotor_inertia: 0.01, current: 3}
)");
  for (const double R : {0.0, 1e-3, 0.5, 20.0}) {
    // J ω̇ = k i + λ, 0.5 v̇ = −n λ, ω̇ − n v̇ + R λ = 0.
    const double lambda = -(0.2 * 3 / 0.01) / (1 / 0.01 + 25 / 0.5 + R);
    const auto store = with_clearance(*geared, fmt::format("motor[0]={}", R));
    CHECK(store->now().module_multipliers[0] == Approx(lambda).epsilon(1e-11));
    CHECK(store->now().acceleration[0] == Approx(-5 * lambda / 0.5).epsilon(1e-11));
  }
  CHECK_THROWS_WITH(solver_with(*geared, {{"clearance", "moter=1"}}),
                    Catch::Contains("no such joint, constraint or module"));
}

TEST_CASE("clearance is refused where it would mean nothing") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr.yaml");
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "C1=1e-6"}}), Catch::Contains("correction=projection"));
  CHECK_THROWS_WITH(
      solver_with(*system, {{"clearance", "C1=1e-6"}, {"correction", "none"}, {"method", "orthonormalization"}}),
      Catch::Contains("orthonormalization does not have"));
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "nut=1"}}), Catch::Contains("no such joint"));
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "C1=-1"}}), Catch::Contains("not of the form joint=R"));
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "C1=inf"}}), Catch::Contains("a finite number"));
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "C1=1e-6,C1=2"}}), Catch::Contains("twice for `C1`"));
  CHECK_THROWS_WITH(solver_with(*system, {{"clearance", "C1=1e-6"}, {"correction", "none"}, {"level", "1"}}),
                    Catch::Contains("the model of level 1 does not have"));
  const auto top = system_from_file(std::string(POLYFORM_MODELS) + "/free_body.yaml");
  const std::string joint(top->view().joints[0].name);
  CHECK_THROWS_WITH(solver_with(*top, {{"clearance", joint + "=1e-6"}, {"correction", "none"}}),
                    Catch::Contains("leaves all motions free"));
}
