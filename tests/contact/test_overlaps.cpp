// Shapes that lie deeper in each other than a compliant law can carry are told by names, and no step passes through
// one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double radius = 0.01, speed = 10;

/// Two balls of 1 kg that meet at 20 m/s.
std::string two_balls(double stiffness) {
  std::string text = "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n";
  for (const auto& [name, x] : {std::pair("b1", -0.05), std::pair("b2", 0.05)})
    text += fmt::format(
        "  - {{name: {}, mass: 1, inertia: {{xx: 4e-5, yy: 4e-5, zz: 4e-5}}, position: [{}, 0, 0],\n"
        "     geometry: [{{type: sphere, radius: {}}}]}}\n",
        name, x, radius);
  text += "joints:\n";
  for (const auto& [name, body, v] : {std::tuple("j1", "b1", speed), std::tuple("j2", "b2", -speed)})
    text += fmt::format(
        "  - {{name: {}, type: prismatic, base: ground, moving: {}, position: [0, 0, 0],\n"
        "     axis: [1, 0, 0], initial: {{velocity: {}}}}}\n",
        name, body, v);
  return text + fmt::format("forces:\n  - {{name: c, type: contact, a: b1, b: b2, stiffness: {}, exponent: 1.5}}\n",
                            stiffness);
}

/// The stiffness with which these balls go into each other by a part of the radius: k δ²·⁵/2.5 = μ (2 v)²/2, μ = 1/2
/// kg.
double stiffness_for(double part) { return 2.5 * speed * speed / std::pow(part * radius, 2.5); }

std::vector<std::string> told_of(const host::System& system, const Formulation& formulation, double interval) {
  host::RunSettings s = run_settings();
  s.duration = 0.02;
  s.output_interval = interval;
  s.step = 1e-3;
  const Ended ended = run_to_end(system, formulation, s);
  CHECK(ended.record.failure == "");
  std::vector<std::string> told = ended.record.warnings;
  std::erase_if(told, [](const std::string& text) { return text.find("beyond its law") == std::string::npos; });
  return told;
}

}  // namespace

TEST_CASE("balls that pass through each other on a soft contact are told by names, in every formulation") {
  const auto system = system_from_text(two_balls(1e5));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const std::vector<std::string> told = told_of(*system, *formulation, 0.02);
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], Catch::Contains("`c` (contact)") && Catch::Contains("between `b1` and `b2`"));
  }
}

TEST_CASE("overlaps are told from half of the smaller shape's half width on") {
  for (const auto& [part, is_told] : {std::pair(0.4, false), std::pair(0.48, false), std::pair(0.6, true)}) {
    const auto system = system_from_text(two_balls(stiffness_for(part)));
    INFO(part);
    const std::vector<std::string> told = told_of(*system, *formulations_for(*system).front(), 0.001);
    REQUIRE(told.size() == (is_told ? 1u : 0u));
    if (is_told) CHECK_THAT(told[0], Catch::Contains("comes to 0.6 "));
  }
}

TEST_CASE("the wall of a mesh that is not convex is as thin as it is, whatever box is about it") {
  // An angle of two walls of 2 mm, as a prism along z: the box about it is 0.4 m wide in all directions.
  constexpr std::array outline{std::array{-0.2, -0.2},     std::array{0.2, -0.2},   std::array{0.2, -0.198},
                               std::array{-0.198, -0.198}, std::array{-0.198, 0.2}, std::array{-0.2, 0.2}};
  std::string vertices, faces;
  for (const double z : {-0.2, 0.2})
    for (const auto& [x, y] : outline) vertices += fmt::format("[{}, {}, {}], ", x, y, z);
  constexpr int n = outline.size();
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    faces += fmt::format("[{}, {}, {}], [{}, {}, {}], ", k, next, next + n, k, next + n, k + n);
  }
  for (const auto& [a, b, c] : {std::array{0, 1, 2}, std::array{0, 2, 3}, std::array{0, 3, 4}, std::array{0, 4, 5}})
    faces += fmt::format("[{}, {}, {}], [{}, {}, {}], ", c, b, a, a + n, b + n, c + n);
  const std::string box = "[{type: box, size: [0.02, 0.02, 0.02]}]";
  const auto system = system_from_text(fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nground: {{geometry: [{{type: mesh, vertices: [{}], faces: [{}]}}]}}\nbodies:\n"
      "  - {{name: block, mass: 1, inertia: {{xx: 1e-4, yy: 1e-4, zz: 1e-4}}, position: [-0.1, 0, 0], geometry: {}}}\n"
      "joints:\n  - {{name: j, type: prismatic, base: ground, moving: block, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {{velocity: -20}}}}\n"
      "forces:\n  - {{name: c, type: contact, a: block, b: ground, stiffness: 1e5, exponent: 1.5}}\n",
      vertices, faces, box));
  CHECK(told_of(*system, *formulations_for(*system).front(), 0.02).size() == 1);
}

TEST_CASE("a blade that turns about its middle meets what it sweeps over, as a group and as a pair") {
  const auto speed_after = [](const char* results) {
    const auto system = system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {{name: blade, mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}},\n"
        "     geometry: [{{type: box, size: [1, 0.004, 0.05]}}]}}\n"
        "  - {{name: peg, mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, position: [0, 0.45, 0],\n"
        "     geometry: [{{type: capsule, radius: 0.002, length: 0.2}}]}}\n"
        "joints:\n  - {{name: ja, type: revolute, base: ground, moving: blade, position: [0, 0, 0], axis: [0, 0, 1],\n"
        "     initial: {{velocity: 100}}}}\n"
        "  - {{name: fb, type: free, base: ground, moving: peg}}\n"
        "contacts: {{all: true, results: {}, stiffness: 1.0e+9}}\n",
        results));
    host::RunSettings s = run_settings();
    s.duration = s.output_interval = 0.05;
    s.step = 1e-3;
    return run_to_end(*system, *formulations_for(*system).front(), s).angular_velocities[0].z;
  };
  const double as_group = speed_after("total"), as_pair = speed_after("each");
  CHECK(as_pair < 99.5);
  CHECK(as_group == Approx(as_pair).epsilon(1e-4));
}

TEST_CASE("no step passes through a thin plate, however soft its contacts are and however many there are") {
  std::string text =
      "polyform: 1\ngravity: [0, 0, 0]\nground: {geometry: [{type: box, size: [2, 2, 0.002]}]}\nbodies:\n";
  std::string joints = "joints:\n";
  constexpr int balls = 40, fast = 7;
  for (int i = 0; i < balls; ++i) {
    text += fmt::format(
        "  - {{name: s{}, mass: 0.1, inertia: {{xx: 1e-5, yy: 1e-5, zz: 1e-5}},\n"
        "     position: [{}, {}, {}], geometry: [{{type: sphere, radius: 0.01}}]}}\n",
        i, -0.8 + 0.2 * (i % 8), -0.8 + 0.2 * (i / 8), 0.1 + 0.013 * i);
    joints += fmt::format(
        "  - {{name: j{}, type: free, base: ground, moving: s{}, "
        "initial: {{velocity: [0, 0, {}, 0, 0, 0]}}}}\n",
        i, i, i == fast ? -200.0 : 0.0);
  }
  const auto system = system_from_text(text + joints + "contacts: {all: true, stiffness: 10, exponent: 1.5}\n");
  const std::vector<std::string> told = told_of(*system, *formulations_for(*system).front(), 0.02);
  REQUIRE(told.size() == 1);
  CHECK_THAT(told[0], Catch::Contains("between ground and `s7`"));
}
