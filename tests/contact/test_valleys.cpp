// Surfaces of many triangles that are not convex: within a plane nothing strikes, and in a valley both sides carry.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "exact_run.hpp"
#include "shape_pair.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

struct Triangles {
  std::vector<Vec3> corners;
  std::vector<std::array<std::uint32_t, 3>> faces;

  void add(const std::array<std::uint32_t, 4>& quad) {
    faces.push_back({quad[0], quad[1], quad[2]});
    faces.push_back({quad[0], quad[2], quad[3]});
  }
  std::string text() const {
    std::string places, numbers;
    for (const Vec3& c : corners)
      places += fmt::format("{}[{:.17g}, {:.17g}, {:.17g}]", places.empty() ? "" : ", ", c.x, c.y, c.z);
    for (const auto& f : faces) numbers += fmt::format("{}[{}, {}, {}]", numbers.empty() ? "" : ", ", f[0], f[1], f[2]);
    return fmt::format("{{type: mesh, vertices: [{}], faces: [{}]}}", places, numbers);
  }
};

/// The box [-1, 1] x [-1, 1] x [-0.4, 0], whose upper side is divided into n x n squares.
Triangles table_of(std::uint32_t n) {
  Triangles made;
  const std::uint32_t row = n + 1, below = row * row;
  for (const double z : {0.0, -0.4})
    for (std::uint32_t i = 0; i < row; ++i)
      for (std::uint32_t k = 0; k < row; ++k) made.corners.push_back({-1 + 2.0 * i / n, -1 + 2.0 * k / n, z});
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = row * i + k, b = a + row;
      made.add({a, b, b + 1, a + 1});
      made.add({below + a, below + a + 1, below + b + 1, below + b});
    }
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto side = [&](std::uint32_t from, std::uint32_t to) { made.add({to, from, below + from, below + to}); };
    side(row * i, row * (i + 1));
    side(row * (i + 1) + n, row * i + n);
    side(i + 1, i);
    side(row * n + i, row * n + i + 1);
  }
  return made;
}

/// A floor with two walls at x = 0 and y = 0.
Triangles corner_of_tray() {
  Triangles made{{{0, 0, 0}, {-1, 0, 0}, {-1, -1, 0}, {0, -1, 0}, {0, 0, 0.5}, {-1, 0, 0.5}, {0, -1, 0.5}}, {}};
  made.add({2, 3, 0, 1});
  made.add({3, 6, 4, 0});
  made.add({0, 4, 5, 1});
  return made;
}

/// Two slopes of 45 degrees that meet in the line x = z = 0.
Triangles groove() {
  Triangles made{{{-1, -1, 1}, {0, -1, 0}, {1, -1, 1}, {-1, 1, 1}, {0, 1, 0}, {1, 1, 1}}, {}};
  made.add({0, 1, 4, 3});
  made.add({1, 2, 5, 4});
  return made;
}

/// A body of 1 kg.
std::string model_of(const std::string& shape, const Vec3& place, const Vec3& velocity, const std::string& ground,
                     const std::string& law) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{}]}}\nbodies:\n"
      "  - {{name: a, mass: 1, inertia: {{xx: 0.004, yy: 0.005, zz: 0.006}}, position: [{:.17g}, {:.17g}, {:.17g}],\n"
      "     velocity: [{:.17g}, {:.17g}, {:.17g}], geometry: [{}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
      "forces:\n  - {{name: c, type: contact, a: a, b: ground, {}}}\n",
      ground, place.x, place.y, place.z, velocity.x, velocity.y, velocity.z, shape, law);
}

}  // namespace

// Its side lies in one plane with that of the table, whose corners it passes. They struck it.
TEST_CASE("a box slides flush with the side of a table of triangles, and nothing strikes it") {
  const Vec3 velocity{0.9, 0, 0};
  for (const std::uint32_t n : {3U, 8U}) {
    const auto system = system_from_text(model_of("{type: box, size: [0.3, 0.2, 0.15]}", {-0.3, 0.9, 0.075}, velocity,
                                                  table_of(n).text(), "law: rigid"));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << n);
      const Ended ended = run_to_end(*system, *formulation, exact_run(0.5));
      CHECK(norm(ended.positions[0] - Vec3{0.15, 0.9, 0.075}) < 1e-12);
      CHECK(norm(ended.velocities[0] - velocity) + norm(ended.angular_velocities[0]) < 1e-12);
      CHECK(ended.record.warnings.empty());
    }
    const auto springs = system_from_text(model_of("{type: box, size: [0.3, 0.2, 0.15]}", {-0.3, 0.9, 0.075}, velocity,
                                                   table_of(n).text(), "stiffness: 1.0e+6, restitution: 0.2"));
    const Ended ended = run_to_end(*springs, *formulations_for(*springs).front(), exact_run(0.3));
    CHECK(std::abs(ended.velocities[0].x - 0.9) + std::abs(ended.velocities[0].y) < 1e-10);
    CHECK(norm(ended.angular_velocities[0]) < 1e-9);
  }
}

// Corners within a plane touch nothing alone: they carried a box that lay on them, and made it stiffer there.
TEST_CASE("a box on a table of many triangles stands on its four corners") {
  using Kind = GeometricShape::Kind;
  const Triangles table = table_of(20);
  const GeometricShape box{.kind = Kind::box, .edges = {0.3, 0.2, 0.15}},
      mesh{.kind = Kind::mesh, .vertices = table.corners, .faces = table.faces};
  contact::ShapeStore store;
  for (const auto points : {contact::ShapePair::Points::all, contact::ShapePair::Points::carried}) {
    const contact::ShapePair pair(box, mesh, store, points);
    std::vector<contact::ContactPoint> found(pair.points());
    CHECK(found.size() < 60);
    pair.locate({Mat3::identity(), {0.013, 0.027, 0.0749}}, {Mat3::identity(), {}}, found);
    int closed = 0;
    for (const contact::ContactPoint& point : found) closed += point.gap < 0 && !(point.place < 0);
    CHECK(closed == 4);
  }
}

// A corner was pushed out of the nearest side alone, and which one that is was chance: the run ended "without end".
TEST_CASE("what slides into the corner of a tray of triangles stays there") {
  for (const char* shape : {"{type: box, size: [0.2, 0.2, 0.2]}", "{type: cylinder, radius: 0.1, length: 0.2}"}) {
    const auto system = system_from_text(
        model_of(shape, {-0.15, -0.2, 0.1}, {0.5, 0.5, 0}, corner_of_tray().text(), "law: rigid, restitution: 0"));
    INFO(shape);
    const Ended ended = run_to_end(*system, *registry().catalog().formulations.at("riccati"), exact_run(0.5));
    CHECK(norm(ended.positions[0] - Vec3{-0.1, -0.1, 0.1}) < 1e-9);
    CHECK(norm(ended.velocities[0]) + norm(ended.angular_velocities[0]) < 1e-9);
    CHECK(ended.record.energy_drift < 1e-12);
    CHECK(ended.record.warnings.empty());
  }
}

// It was held by one side at a time.
TEST_CASE("a ball comes to rest in a groove of triangles on both of its sides") {
  const auto system = system_from_text(model_of("{type: sphere, radius: 0.1}", {0.05, 0.1, 0.3}, {0, 0, 0},
                                                groove().text(), "law: rigid, restitution: 0"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(1));
    CHECK(norm(ended.positions[0] - Vec3{0, 0.1, 0.1 * std::sqrt(2.0)}) < 1e-9);
    CHECK(norm(ended.velocities[0]) < 1e-9);
    CHECK(ended.record.energy_drift < 1e-9);
    CHECK(ended.record.events < 20);
    CHECK(ended.record.warnings.empty());
  }
}
