// Ellipsoids at faces, edges and corners, against places that are drawn and against balls.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "exact_run.hpp"
#include "shape_pair.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::contact;
using namespace polyform::test;

namespace {

const TriangleMesh cube{{{-0.5, -0.5, -0.5},
                         {0.5, -0.5, -0.5},
                         {0.5, 0.5, -0.5},
                         {-0.5, 0.5, -0.5},
                         {-0.5, -0.5, 0.5},
                         {0.5, -0.5, 0.5},
                         {0.5, 0.5, 0.5},
                         {-0.5, 0.5, 0.5}},
                        {{0, 2, 1},
                         {0, 3, 2},
                         {4, 5, 6},
                         {4, 6, 7},
                         {0, 1, 5},
                         {0, 5, 4},
                         {1, 2, 6},
                         {1, 6, 5},
                         {2, 3, 7},
                         {2, 7, 6},
                         {3, 0, 4},
                         {3, 4, 7}}};
/// A cube of 1 m: as a box, as a convex mesh and as triangles.
std::array<GeometricShape, 3> cubes() {
  using enum GeometricShape::Kind;
  return {GeometricShape{.kind = box, .edges = {1, 1, 1}},
          GeometricShape{.kind = mesh, .vertices = cube.vertices, .faces = cube.faces, .convex = true},
          GeometricShape{.kind = mesh, .vertices = cube.vertices, .faces = cube.faces}};
}
GeometricShape egg_of(const Vec3& half_axes) {
  return {.kind = GeometricShape::Kind::ellipsoid, .edges = 2 * half_axes};
}

/// Of the first shape at a place with the second at the origin: the only point.
ContactPoint only_point(const GeometricShape& first, const Mat3& R, const Vec3& place, const GeometricShape& second) {
  ShapeStore store;
  const ShapePair pair(first, second, store);
  REQUIRE(pair.points() == 1);
  std::vector<ContactPoint> points(1);
  const Vec3 origin{};
  const Mat3 level = Mat3::identity();
  pair.locate({R, place}, {level, origin}, points);
  return points[0];
}

/// The place of an ellipsoid whose outward normal is n, from its centre.
Vec3 place_with_normal(const Vec3& half_axes, const Mat3& R, const Vec3& n) {
  Vec3 own = transpose_times(R, n);
  for (std::size_t k = 0; k < 3; ++k) own[k] *= half_axes[k];
  const double reach = norm(own);
  for (std::size_t k = 0; k < 3; ++k) own[k] *= half_axes[k] / reach;
  return R * own;
}

}  // namespace

// A place of the cube and a normal there are drawn, and the ellipsoid put to a distance along it; no deeper than its
// least radius of curvature, 0.05²/0.6 m.
TEST_CASE("an ellipsoid is as far from a face, an edge and a corner as it was put") {
  struct Put {
    Vec3 place, normal;
  };
  const double s = std::sqrt(0.5);
  const std::array puts{Put{{0.1, 0.2, 0.5}, {0, 0, 1}},
                        Put{{0.5, -0.3, -0.1}, {1, 0, 0}},
                        Put{{0.5, 0.05, 0.5}, {s, 0, s}},
                        Put{{0.5, 0.3, 0.5}, {std::sin(0.2), 0, std::cos(0.2)}},
                        Put{{0.2, -0.5, 0.5}, {0, -std::sin(1.4), std::cos(1.4)}},
                        Put{{0.5, 0.5, 0.5}, {2.0 / 3, 1.0 / 3, 2.0 / 3}},
                        Put{{-0.5, -0.5, 0.5}, {-0.6, -0.64, 0.48}}};
  for (const Vec3& half_axes : {Vec3{0.3, 0.3, 0.3}, Vec3{0.4, 0.3, 0.25}, Vec3{0.05, 0.6, 0.2}})
    for (const Vec3& turned : {Vec3{}, Vec3{0.4, -1.3, 0.8}, Vec3{-2.1, 0.2, 0.5}})
      for (const Put& put : puts)
        for (const double gap : {0.7, 0.1, 1e-9, 0.0, -1e-9, -0.003}) {
          const Mat3 R = rotation_matrix(from_rotation_vector(turned));
          const Vec3 low = place_with_normal(half_axes, R, -put.normal);
          const Vec3 center = put.place + gap * put.normal - low;
          for (const GeometricShape& shape : cubes()) {
            INFO("axes " << half_axes.x << " turned " << turned.x << " at " << put.place.x << " " << put.place.y << " "
                         << put.normal.x << " gap " << gap << (shape.convex ? " convex" : ""));
            const ContactPoint found = only_point(egg_of(half_axes), R, center, shape);
            CHECK(found.gap == Approx(gap).margin(1e-13));
            CHECK(norm(found.normal - put.normal) < 1e-10);
            CHECK(norm(found.position - (put.place + 0.5 * gap * put.normal)) < 1e-10);
          }
        }
}

// All around the cube, and from the outside into it by less than a half axis.
TEST_CASE("an ellipsoid of three equal axes touches boxes and meshes as a ball does") {
  const double r = 0.3;
  const GeometricShape ball{.kind = GeometricShape::Kind::sphere, .radius = r};
  std::size_t touching = 0;
  for (double x = -0.95; x < 1; x += 0.17)
    for (double y = -0.9; y < 1; y += 0.19)
      for (double z = -0.93; z < 1; z += 0.23) {
        if (std::max({std::abs(x), std::abs(y), std::abs(z)}) < 0.5) continue;
        const Vec3 place{x, y, z};
        for (const GeometricShape& shape : cubes()) {
          INFO(x << " " << y << " " << z << (shape.convex ? " convex" : ""));
          const ContactPoint expected = only_point(ball, Mat3::identity(), place, shape);
          const ContactPoint found = only_point(egg_of({r, r, r}), Mat3::identity(), place, shape);
          CHECK(found.gap == Approx(expected.gap).margin(1e-13));
          CHECK(norm(found.normal - expected.normal) < 1e-10);
          CHECK(norm(found.position - expected.position) < 1e-10);
          touching += expected.gap < 0 ? 1 : 0;
        }
      }
  CHECK(touching > 500);
}

// The support functions of a roof of triangles, by sampling: the distance of two convex bodies is the largest one along
// any direction.
TEST_CASE("the distance from an ellipsoid to a convex mesh is the largest along any direction") {
  const TriangleMesh roof = *convex_hull(std::vector<Vec3>{{-0.4, -0.3, -0.2},
                                                           {0.5, -0.3, -0.25},
                                                           {0.45, 0.4, -0.2},
                                                           {-0.4, 0.35, -0.3},
                                                           {-0.3, -0.1, 0.3},
                                                           {0.3, 0.2, 0.35}});
  const GeometricShape shape{
      .kind = GeometricShape::Kind::mesh, .vertices = roof.vertices, .faces = roof.faces, .convex = true};
  const Vec3 half_axes{0.4, 0.2, 0.1};
  for (const Vec3& turned : {Vec3{0.4, -1.3, 0.8}, Vec3{-2.1, 0.2, 0.5}})
    for (const Vec3& center :
         {Vec3{0.1, 0.2, 0.7}, Vec3{0.7, -0.5, 0.1}, Vec3{-0.1, 0.05, 0.42}, Vec3{0.3, 0.3, 0.3}}) {
      const Mat3 R = rotation_matrix(from_rotation_vector(turned));
      const ContactPoint found = only_point(egg_of(half_axes), R, center, shape);
      const auto along = [&](const Vec3& n) {
        double lowest = dot(n, center + place_with_normal(half_axes, R, -n)), highest = -1;
        for (const Vec3& corner : roof.vertices) highest = std::max(highest, dot(n, corner));
        return lowest - highest;
      };
      CHECK(along(found.normal) == Approx(found.gap).margin(1e-13));
      double most = -1;
      for (int i = 0; i < 200; ++i)
        for (int k = 0; k < 400; ++k) {
          const double theta = std::acos(-1.0) * (i + 0.5) / 200, phi = std::acos(-1.0) * k / 200;
          most = std::max(most,
                          along({std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)}));
        }
      CHECK(found.gap > most - 1e-13);
      CHECK(found.gap < most + 1e-3);
    }
}

namespace {

/// An ellipsoid of 1 kg that comes down at 1 m/s on ground.
std::string falling_egg(const Vec3& half_axes, const Vec3& place, const Vec3& turned, double moment,
                        const std::string& ground) {
  const double angle = norm(turned);
  const Vec3 axis = angle > 0 ? (1 / angle) * turned : Vec3{0, 0, 1};
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nground: {{geometry: [{}]}}\nbodies:\n"
      "  - {{name: a, mass: 1, inertia: {{xx: {}, yy: {}, zz: {}}}, position: [{:.17g}, {:.17g}, {:.17g}],\n"
      "     orientation: {{axis: [{:.17g}, {:.17g}, {:.17g}], angle: {:.17g}}}, velocity: [0, 0, -1],\n"
      "     geometry: [{{type: ellipsoid, semi_axes: [{}, {}, {}]}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
      "forces:\n  - {{name: c, type: contact, a: a, b: ground, law: rigid, restitution: 1}}\n",
      ground, moment, moment, moment, place.x, place.y, place.z, axis.x, axis.y, axis.z, angle, half_axes.x,
      half_axes.y, half_axes.z);
}

}  // namespace

// At an edge along y, with the normal n, the impulse is 2 n_z/(1/m + |r × n|²/J).
TEST_CASE("an ellipsoid that comes down beside an edge is thrown off by an impact there") {
  const double moment = 0.05, tilt = 0.4;
  const std::string triangles =
      "{type: mesh, vertices: [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0.5, 0.5, -0.5], [-0.5, 0.5, -0.5], "
      "[-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]], "
      "faces: [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]}";
  for (const std::string& ground : {std::string("{type: box, size: [1, 1, 1]}"), triangles})
    for (const Vec3& half_axes : {Vec3{0.3, 0.3, 0.3}, Vec3{0.4, 0.2, 0.3}}) {
      const Vec3 turned{0.3, -0.5, 0.2}, n{std::sin(tilt), 0, std::cos(tilt)};
      const Vec3 low = place_with_normal(half_axes, rotation_matrix(from_rotation_vector(turned)), -n);
      const Vec3 center = Vec3{0.5, 0.05, 0.5} - low;  // at the impact, after 0.3 s
      const Vec3 lever = cross(low, n);
      const double impulse = 2 * n.z / (1 + dot(lever, lever) / moment), flight = 0.1;
      const Vec3 expected = center + flight * (Vec3{0, 0, -1} + impulse * n);
      const auto system = system_from_text(falling_egg(half_axes, center + Vec3{0, 0, 0.3}, turned, moment, ground));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << half_axes.x << " on " << ground);
        const Ended ended = run_to_end(*system, *formulation, exact_run(0.3 + flight));
        CHECK(ended.record.failure == "");
        CHECK(norm(ended.positions[0] - expected) < 1e-9);
      }
    }
}
