// Bushings, springs by tables, bump stops, gas springs and forces of fields against closed forms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plugins/elements/drives/drive_types.hpp"
#include "plugins/elements/fields/field_types.hpp"
#include "plugins/elements/springs/spring_types.hpp"
#include "polyform/helpers/element_test.hpp"
#include "tests/machines/machine_run.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("a block on four bushings sags and swings as their stiffness says") {
  in_formulations(shipped("rubber_mounts"), [](const Table& rows) {
    // Released without deflection: z = -s (1 - exp(-d t)(cos w t + d/w sin w t)), with s = m g/k, 800 N s/m on 120 kg.
    const double s = 120 * g / 8e5, d = 800 / 240.0, w = std::sqrt(8e5 / 120 - d * d);
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double t = rows.at(r, "time");
      CHECK(rows.at(r, "block.z") ==
            Approx(-s * (1 - std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t)))).margin(1e-8));
      CHECK(rows.at(r, "stop.compression") == 0);
      CHECK(rows.at(r, "front_left.z") == Approx(rows.at(r, "block.z")).margin(1e-9));
    }
  });
}

TEST_CASE("a bushing restores deflections of all six directions, coupled ones too") {
  testing::ElementTest bushing(springs::bushing());
  const double K[]{0, 0, 0, 0, 30, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                   0, 0, 0, 0, 0,  0, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  bushing.set("stiffness", std::vector<double>{100, 200, 300, 4, 5, 6}).attach("a").attach("b");
  bushing.set("coupling_stiffness", std::vector<double>(std::begin(K), std::end(K)), 6);
  bushing.create();
  bushing.marker(1).position = {0.01, 0, -0.02};
  auto result = bushing.evaluate();
  CHECK(result.wrenches[1].linear.x == Approx(-1));
  CHECK(result.wrenches[1].linear.z == Approx(6));
  CHECK(result.wrenches[1].angular.y == Approx(-30 * 0.01));
  CHECK(result.potential_energy == Approx(0.5 * 100 * 1e-4 + 0.5 * 300 * 4e-4));
  bushing.marker(1).position = {};
  bushing.marker(1).R = rotation_matrix(axis_angle(Vec3{0, 0, 1}, 0.3));
  result = bushing.evaluate();
  CHECK(result.wrenches[1].angular.z == Approx(-6 * 0.3));
  CHECK(result.wrenches[0].angular.z == Approx(6 * 0.3));
}

TEST_CASE("tables over the speed damp a bushing") {
  testing::ElementTest bushing(springs::bushing());
  bushing.set("damping", std::vector<double>{10}).set("damper_force_x", std::vector<double>{-1, -50, 0, 0, 1, 80}, 3);
  bushing.set("damper_moment_z", std::vector<double>{-1, -2, 1, 2}, 2).attach("a").attach("b");
  bushing.create();
  bushing.marker(1).velocity = {0.5, 0.1, 0};
  bushing.marker(1).angular_velocity = {0, 0, 0.5};
  auto result = bushing.evaluate();
  CHECK(result.wrenches[1].linear.x == Approx(-5 - 40));
  CHECK(result.wrenches[1].linear.y == Approx(-1));
  CHECK(result.wrenches[1].angular.z == Approx(-5 - 1));
  CHECK(result.power == Approx(-45 * 0.5 - 0.1 - 6 * 0.5));
  bushing.marker(1).velocity = {-0.5, 0, 0};
  result = bushing.evaluate();
  CHECK(result.wrenches[1].linear.x == Approx(5 + 25));
}

TEST_CASE("the restoring force of a gas spring is that of its polytropic law") {
  testing::ElementTest spring(springs::gas_spring());
  spring.set("area", 2e-3).set("volume", 1e-3).set("pressure", 5e5).set("exponent", 1.3).set("ambient", 1e5);
  spring.set("reference_length", 0.5).attach("a").attach("b");
  spring.create();
  spring.marker(1).position = {0.3, 0, 0};
  const auto result = spring.evaluate();
  const double pressure = 5e5 * std::pow(1e-3 / (1e-3 - 2e-3 * 0.2), 1.3);
  CHECK(result.wrenches[1].linear.x == Approx((pressure - 1e5) * 2e-3).epsilon(1e-12));
  const double work = 5e5 * 1e-3 / 0.3 * (std::pow(1 / 0.6, 0.3) - 1) - 1e5 * 4e-4;
  CHECK(result.potential_energy == Approx(work).epsilon(1e-12));
  CHECK(spring.outputs()[3] == Approx(pressure));
}

// Numbers near 1e9 are multiples of 2^-23: 2^-9 m, 2 mm, is exact there.
TEST_CASE("springs of 2 mm act by their laws a million kilometres from the ground origin") {
  constexpr double far = 1e9, length = 0x1p-9;
  const auto force_of = [&](auto& element) {
    element.attach("a").attach("b");
    element.create();
    element.marker(0).position = {far, 0, 0};
    element.marker(1).position = {far + length, 0, 0};
    return element.evaluate().wrenches[1].linear.x;
  };
  testing::ElementTest gas(springs::gas_spring());
  gas.set("area", 2e-3).set("volume", 1e-3).set("pressure", 5e5).set("ambient", 1e5).set("reference_length", length);
  CHECK(force_of(gas) == Approx(4e5 * 2e-3).epsilon(1e-12));
  testing::ElementTest table(springs::nonlinear_spring());
  table.set("force", std::vector<double>{-1, -100, 1, 100}, 2).set("free_length", 0.0);
  CHECK(force_of(table) == Approx(-100 * length).epsilon(1e-12));
  testing::ElementTest stop(springs::bump_stop());
  stop.set("length", 2 * length).set("stiffness", 1e6);
  CHECK(force_of(stop) == Approx(1e6 * length).epsilon(1e-12));
  testing::ElementTest cylinder(drives::hydraulic_cylinder());
  cylinder.set("piston_area", 1e-3).set("stroke", 0.5).set("dead_volume", 1e-4).set("retracted_length", 0.0);
  cylinder.set("pressure", 1e6);
  CHECK(force_of(cylinder) == Approx(1e3).epsilon(1e-12));
}

TEST_CASE("a weight on a spring of straight lines swings with the energy that the table holds") {
  // Dropped on a spring of 1000 N/m up to 0.1 m and 5000 N/m beyond: the lowest point by energies.
  // m g y = 5 + (y - 0.1) 100 + 2500 (y - 0.1)^2 with m g = 98.1 N
  const double b = 100 - 98.1, c = 5 - 9.81, beyond = (-b + std::sqrt(b * b - 4 * 2500 * c)) / 5000;
  in_formulations_of(R"(
bodies:
  - {name: weight, mass: 10, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: guide, type: prismatic, base: ground, moving: weight, position: [0, 0, 0], axis: [0, 0, -1]}
forces:
  - {name: spring, type: nonlinear-spring, a: {body: ground, point: [0, 0, 1]}, b: {body: weight},
     force: [[-0.1, -100], [0, 0], [0.1, 100], [0.3, 1100]]}
simulation: {duration: 1, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}, output_interval: 0.0005}
)",
                     [&](const Table& rows) {
                       double lowest = 0;
                       for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                         lowest = std::max(lowest, rows.at(r, "guide.q"));
                         CHECK(std::abs(rows.at(r, "energy.total")) < 1e-7);
                       }
                       CHECK(lowest == Approx(0.1 + beyond).margin(1e-6));
                     });
}

TEST_CASE("what falls on a bump stop comes to rest where its energy is spent") {
  // m g (h + δ) = k δ³/3 of the quadratic stop.
  double depth = 0.1;
  for (int k = 0; k < 60; ++k)
    depth -= (2e5 * depth * depth * depth / 3 - 5 * g * (0.2 + depth)) / (2e5 * depth * depth - 5 * g);
  in_formulations_of(R"(
bodies:
  - {name: weight, position: [0, 0, 0.5], mass: 5, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: guide, type: prismatic, base: ground, moving: weight, position: [0, 0, 0.5], axis: [0, 0, 1]}
forces:
  - {name: stop, type: bump-stop, a: {body: ground}, b: {body: weight}, length: 0.3, stiffness: 2e5, exponent: 2}
simulation: {duration: 1, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}, output_interval: 0.0002}
)",
                     [&](const Table& rows) {
                       double deepest = 0;
                       for (std::size_t r = 0; r < rows.rows.size(); ++r)
                         deepest = std::max(deepest, rows.at(r, "stop.compression"));
                       CHECK(deepest == Approx(depth).margin(1e-5));
                     });
}

TEST_CASE("a satellite on a circle swings about the vertical by the gravity gradient") {
  // Pitch of small angles: frequency n √(3 (I_1 - I_3)/I_2), at the orbital rate n.
  const double mu = 3.986e14, r = 7e6, n = std::sqrt(mu / (r * r * r)), v = n * r;
  const double w = n * std::sqrt(3 * (900.0 - 300) / 800), tilt = 1e-3;
  std::string text =
      "gravity: [0, 0, 0]\nbodies:\n  - {name: satellite, position: [7e6, 0, 0], mass: 500, inertia: {xx: 300, yy: "
      "900, "
      "zz: 800}}\njoints:\n  - {name: plane, type: planar, base: ground, moving: satellite, position: [7e6, 0, 0], "
      "axis: [0, 0, 1], "
      "axis2: [1, 0, 0], initial: {position: [0, 0, 0.001], velocity: [0, " +
      std::to_string(v) + ", " + fmt::format("{:.15g}", n) +
      "]}}\nforces:\n  - {name: earth, type: central-gravity, body: satellite, center: {body: ground}, parameter: "
      "3.986e14}\n"
      "simulation: {duration: 3000, integrator: dop853, tolerance: {relative: 1e-12, absolute: 1e-12}, "
      "output_interval: 100}\n";
  in_formulations_of(text, [&](const Table& rows) {
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const double t = rows.at(k, "time"), x = rows.at(k, "satellite.x"), y = rows.at(k, "satellite.y");
      CHECK(std::remainder(rows.at(k, "plane.q[2]") - std::atan2(y, x), 2 * std::numbers::pi) ==
            Approx(tilt * std::cos(w * t)).margin(2e-6));
      CHECK(rows.at(k, "earth.distance") == Approx(r).epsilon(1e-5));
    }
  });
}

TEST_CASE("two magnets in a line pull by the inverse fourth power, and a magnet turns in a field") {
  testing::ElementTest pair(fields::magnets());
  pair.set("moment_a", Vec3{0, 0, 2}).set("moment_b", Vec3{0, 0, 3}).attach("a").attach("b");
  pair.create();
  pair.marker(1).position = {0, 0, 0.1};
  CHECK(pair.evaluate().wrenches[1].linear.z == Approx(-6 * 1e-7 * 2 * 3 / 1e-4));
  pair.marker(1).position = {0.1, 0, 0};
  CHECK(pair.evaluate().wrenches[1].linear.x == Approx(3 * 1e-7 * 2 * 3 / 1e-4));  // side by side they part
  // A compass needle: w² = m B/J.
  in_formulations_of(
      R"(
gravity: [0, 0, 0]
bodies:
  - {name: needle, mass: 0.001, inertia: {xx: 1e-8, yy: 1e-7, zz: 1e-7}}
joints:
  - {name: pin, type: revolute, base: ground, moving: needle, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.001}}
forces:
  - {name: earth, type: magnetic-field, body: needle, moment: [0.02, 0, 0], flux_density: [5e-5, 0, 0]}
simulation: {duration: 4, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-14}, output_interval: 0.2}
)",
      [](const Table& rows) {
        for (std::size_t r = 0; r < rows.rows.size(); ++r)
          CHECK(rows.at(r, "pin.q") ==
                Approx(0.001 * std::cos(std::sqrt(0.02 * 5e-5 / 1e-7) * rows.at(r, "time"))).margin(1e-8));
      });
}
