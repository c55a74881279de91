// Contacts of many bodies as one element: the list of what is near, the law without memory, and heaps.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "contact_law.hpp"
#include "near_pairs.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::RunSettings heap_settings(double duration, double tolerance = 1e-9) {
  host::RunSettings s = run_settings();
  s.duration = duration;
  s.output_interval = duration / 4;
  s.step = duration / 100;
  s.relative_tolerance = tolerance;
  s.absolute_tolerance = 1e-2 * tolerance;
  return s;
}

/// Balls of half a kilogram and 0.05 m in a loose grid above a floor, the first two in a hurry.
std::string balls(std::size_t count, const std::string& rest) {
  std::string text = "polyform: 1\nground: {geometry: [{type: plane}]}\nbodies:\n", joints = "joints:\n";
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<double>(k % 2), j = static_cast<double>(k / 2 % 2), l = static_cast<double>(k / 4);
    text += fmt::format(
        "  - {{name: ball{}, mass: 0.5, inertia: {{xx: 5.0e-4, yy: 5.0e-4, zz: 5.0e-4}}, position: [{}, {}, {}],\n"
        "     geometry: [{{type: sphere, radius: 0.05}}]}}\n",
        k, 0.11 * i + 0.013 * l, 0.11 * j - 0.009 * l, 0.06 + 0.12 * l);
    joints += fmt::format("  - {{name: j{0}, type: free, base: ground, moving: ball{0}{1}}}\n", k,
                          k < 2 ? ", initial: {velocity: [0.5, 0.7, 0, 1, 0, 2]}" : "");
  }
  return text + joints + rest;
}

std::vector<contact::NearPairs::Pair> overlapping(const std::vector<contact::Extent>& extents,
                                                  const std::vector<Vec3>& centres) {
  std::vector<contact::NearPairs::Pair> pairs;
  for (std::uint32_t a = 0; a < centres.size(); ++a)
    for (std::uint32_t b = a + 1; b < centres.size(); ++b)
      if (norm(centres[a] - centres[b]) < extents[a].radius + extents[b].radius) pairs.emplace_back(a, b);
  return pairs;
}

}  // namespace

TEST_CASE("the list of what is near has each pair that overlaps, while balls of many sizes move") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<contact::Extent> extents;
  std::vector<Vec3> centres, velocities;
  for (std::size_t k = 0; k < 300; ++k) {
    contact::Extent e;
    e.radius = 0.02 * std::exp2(5 * unit(random) * unit(random));
    e.body = k;
    extents.push_back(e);
    centres.push_back({unit(random), unit(random), 2 * unit(random)});
    velocities.push_back({unit(random) - 0.5, unit(random) - 0.5, unit(random) - 0.5});
  }
  const std::vector<contact::NearPairs::Pair> apart{{3, 17}, {0, 1}};
  contact::NearPairs near(extents, apart, 0.15, 0.15);
  for (int step = 0; step < 200; ++step) {
    for (std::size_t k = 0; k < centres.size(); ++k) centres[k] += 1e-3 * velocities[k];
    REQUIRE(near.update(centres));
    CHECK(std::ranges::is_sorted(near.pairs()));
    for (const auto& pair : overlapping(extents, centres)) {
      const bool listed = std::ranges::binary_search(near.pairs(), pair);
      CHECK(listed == (std::ranges::find(apart, pair) == apart.end()));
    }
  }
  CHECK(near.searches() < 100);  // a list holds for some steps
}

TEST_CASE("the search for what is near is linear in the balls") {
  const auto near_of = [](std::size_t across) {
    std::vector<contact::Extent> extents;
    std::vector<Vec3> centres;
    for (std::size_t k = 0; k < across * across * across; ++k) {
      contact::Extent e;
      e.radius = 0.5;
      e.body = k;
      extents.push_back(e);
      centres.push_back({static_cast<double>(k % across), static_cast<double>(k / across % across),
                         static_cast<double>(k / (across * across))});
    }
    contact::NearPairs near(extents, {}, 0.15, 0.15);
    near.update(centres);
    return near.pairs().size();
  };
  // Six neighbours each, less those that the faces lack.
  CHECK(near_of(10) == 3 * 10 * 10 * 9);
  CHECK(near_of(20) == 3 * 20 * 20 * 19);
}

TEST_CASE("fixed boxes and half spaces are near what is next to their surface, not what is next to their middle") {
  std::vector<contact::Extent> extents(3);
  extents[0].radius = 0.1;
  extents[1].fixed = true;
  extents[1].half_edges = {10, 10, 0.1};
  extents[1].radius = 15;
  extents[2].fixed = extents[2].unbounded = true;
  extents[2].normal = {1, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) extents[k].body = k;
  contact::NearPairs near(extents, {}, 0.15, 0.15);
  REQUIRE(near.update(std::vector<Vec3>{{1, 0, 1}, {0, 0, 0}, {0, 0, 0}}));
  CHECK(near.pairs().empty());
  REQUIRE(near.update(std::vector<Vec3>{{9, 9, 0.15}, {0, 0, 0}, {0, 0, 0}}));
  CHECK(std::ranges::equal(near.pairs(), std::vector<contact::NearPairs::Pair>{{0, 1}}));
  REQUIRE(near.update(std::vector<Vec3>{{0.05, 0, 1}, {0, 0, 0}, {0, 0, 0}}));
  CHECK(std::ranges::equal(near.pairs(), std::vector<contact::NearPairs::Pair>{{0, 2}}));
}

TEST_CASE("balls of a group come back with the restitution that was asked for, whatever the law's exponent") {
  for (const double e : {0.1, 0.5, 0.8, 1.0})
    for (const double n : {1.0, 1.5, 3.0}) {
      const auto system = system_from_text(fmt::format(
          "polyform: 1\ngravity: [0, 0, 0]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
          "  - {{name: ball, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, position: [0, 0, 0.4],\n"
          "     geometry: [{{type: sphere, radius: 0.1}}]}}\n"
          "joints:\n  - {{name: j, type: free, base: ground, moving: ball, initial: {{velocity: [0, 0, -2, 0, 0, 0]}}}}\n"
          "contacts: {{all: true, results: total, stiffness: 1.0e+8, exponent: {}, restitution: {}}}\n",
          n, e));
      INFO("e " << e << " n " << n);
      const Ended ended = run_to_end(*system, *formulations_for(*system).front(), heap_settings(0.5));
      CHECK(ended.velocities[0].z == Approx(2 * e).epsilon(1e-6));
      CHECK(ended.record.energy_drift < 1e-7);
    }
}

TEST_CASE("without losses a group moves as the contacts of its pairs do, in every formulation") {
  const std::string law = "stiffness: 1.0e+6, exponent: 1.5";
  const auto pairs = system_from_text(balls(5, "contacts: {all: true, results: each, " + law + "}\n"));
  const auto group = system_from_text(balls(5, "contacts: {all: true, results: total, " + law + "}\n"));
  REQUIRE(pairs->view().forces[0].names.size() == 15);
  REQUIRE(group->view().forces[0].names.size() == 1);
  const Ended by_pairs = run_to_end(*pairs, *formulations_for(*pairs).front(), heap_settings(0.12, 1e-11));
  for (const Formulation* formulation : formulations_for(*group)) {
    INFO(formulation->name());
    const Ended by_group = run_to_end(*group, *formulation, heap_settings(0.12, 1e-11));
    for (std::size_t k = 0; k < 5; ++k) CHECK(norm(by_group.positions[k] - by_pairs.positions[k]) < 1e-7);
    CHECK(by_group.record.energy_drift < 1e-9);
  }
}

TEST_CASE("a group of meshes, height fields, ellipsoids, boxes and cylinders moves as the contacts of its pairs do") {
  const auto model = [](std::string_view results) {
    std::string text =
        "polyform: 1\nground:\n  geometry:\n"
        "    - {type: height-field, spacing: 0.2, position: [0, 0, -0.02],\n"
        "       heights: [[0.02, 0, 0.01, 0], [0, 0.02, 0, 0.01], [0.01, 0, 0.02, 0], [0, 0.01, 0, 0.02]]}\nbodies:\n";
    const auto body = [&](std::string_view name, std::string_view position, std::string_view shape) {
      text += fmt::format(
          "  - {{name: {}, mass: 0.5, inertia: {{xx: 5.0e-4, yy: 6.0e-4, zz: 7.0e-4}}, position: {},\n"
          "     geometry: [{}]}}\n",
          name, position, shape);
    };
    body(
        "stone", "[0, 0, 0.07]",
        "{type: mesh, convex: true, vertices: [[0.05, 0, 0], [-0.05, 0, 0], [0, 0.05, 0], [0, -0.05, 0], [0, 0, 0.05], "
        "[0, 0, -0.05]]}");
    body("log", "[0.16, 0, 0.05]", "{type: cylinder, radius: 0.04, length: 0.1}");
    body("crate", "[0.01, 0.16, 0.06]", "{type: box, size: [0.08, 0.07, 0.06]}");
    body("egg", "[0.16, 0.15, 0.045]", "{type: ellipsoid, semi_axes: [0.05, 0.03, 0.03]}");
    body("ball", "[0.02, 0.01, 0.18]", "{type: sphere, radius: 0.04}");
    text += "joints:\n";
    for (const std::string_view name : {"stone", "log", "crate", "egg", "ball"})
      text += fmt::format(
          "  - {{name: of_{0}, type: free, base: ground, moving: {0}, "
          "initial: {{velocity: [0.3, 0.2, 0, {1}, {1}, -0.2]}}}}\n",
          name, name == "stone" || name == "egg" ? 0.0 : (name == "log" ? -0.3 : -0.1));
    return system_from_text(text +
                            fmt::format("contacts:\n"
                                        "  - {{name: hard, between: [hard, hard], results: {0}, stiffness: 1.0e+5}}\n"
                                        "  - {{name: soft, between: [egg, [ground, ball, crate]], results: {0}, "
                                        "stiffness: 1.0e+5}}\n"
                                        "groups: {{hard: [stone, log, crate, ball, ground]}}\n",
                                        results));
  };
  const auto pairs = model("each"), group = model("total");
  REQUIRE(pairs->view().forces[0].names.size() == 13);
  REQUIRE(group->view().forces[0].names.size() == 2);
  const Ended by_pairs = run_to_end(*pairs, *formulations_for(*pairs).front(), heap_settings(0.15, 1e-10));
  const Ended by_group = run_to_end(*group, *formulations_for(*group).front(), heap_settings(0.15, 1e-10));
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(norm(by_group.positions[k] - by_pairs.positions[k]) < 1e-6);
    CHECK(by_pairs.positions[k].z > 0);  // all but the ball would have fallen through the ground
  }
}

TEST_CASE("a heap with friction only loses energy, and what it loses is counted") {
  const auto system = system_from_text(
      balls(12,
            "contacts: {all: true, results: total, stiffness: 1.0e+6, restitution: 0.5, friction: {dynamic: 0.3, "
            "velocity: 0.1}}\n"));
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), heap_settings(0.3, 1e-7));
  CHECK(ended.record.energy_drift < 1e-5);
  double energy = 0, at_start = 0;
  for (std::size_t k = 0; k < 12; ++k) {
    const Vec3 &v = ended.velocities[k], &w = ended.angular_velocities[k];
    energy += 0.25 * dot(v, v) + 2.5e-4 * dot(w, w) + 0.5 * 9.81 * ended.positions[k].z;
    at_start += 0.5 * 9.81 * (0.06 + 0.12 * static_cast<double>(k / 4));
    if (k < 2) at_start += 0.25 * 0.74 + 2.5e-4 * 5;
  }
  CHECK(energy < 0.9 * at_start);
}

TEST_CASE("the spheres of the shipped heap stay in their box") {
  const auto system = system_from_file(POLYFORM_MODELS "/spheres_in_a_box.yaml");
  REQUIRE(system->view().forces[0].names.size() == 1);
  CHECK(system->view().forces[0].names[0] == "heap");
  host::RunSettings s = heap_settings(0.4, 1e-5);
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), s);
  CHECK(ended.record.energy_drift < 1e-4);
  for (const Vec3& p : ended.positions) {
    CHECK(std::min({p.x, p.y, p.z, 0.38 - p.x, 0.38 - p.y}) > 0.045);
    CHECK(p.z < 0.35);
  }
}

TEST_CASE("contacts between groups leave out what is within them, and pairs under except") {
  const auto names = [](const std::string& rest) {
    const auto system = system_from_text(balls(4, rest));
    std::vector<std::string> all;
    for (const auto& forces : system->view().forces) all.insert(all.end(), forces.names.begin(), forces.names.end());
    std::ranges::sort(all);
    return all;
  };
  using Names = std::vector<std::string>;
  const std::string groups = "groups: {left: [ball0, ball2], rest: [ball1, ball3], all: [\"ball?\"]}\n";
  CHECK(names(groups + "contacts: {between: [left, rest], except: [[ball0, ball3]], stiffness: 1.0e+5}\n") ==
        Names{"contact.ball0.ball1", "contact.ball1.ball2", "contact.ball2.ball3"});
  CHECK(
      names(groups + "contacts:\n  - {between: [all, ground], stiffness: 1.0e+5}\n"
                     "  - {name: sticky, bodies: [left], stiffness: 1.0e+4, results: total}\n") ==
      Names{"contact.ball0.ground", "contact.ball1.ground", "contact.ball2.ground", "contact.ball3.ground", "sticky"});
}
