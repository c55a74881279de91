// Distances of shapes: placed by hand, and along a motion.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "shape_pair.hpp"

using namespace polyform;
using namespace polyform::contact;

namespace {

GeometricShape sphere(double radius) { return {.kind = GeometricShape::Kind::sphere, .radius = radius}; }
GeometricShape capsule(double radius, double length) {
  return {.kind = GeometricShape::Kind::capsule, .radius = radius, .length = length};
}
GeometricShape cylinder(double radius, double length) {
  return {.kind = GeometricShape::Kind::cylinder, .radius = radius, .length = length};
}
GeometricShape box(const Vec3& edges) { return {.kind = GeometricShape::Kind::box, .edges = edges}; }
GeometricShape plane() { return {.kind = GeometricShape::Kind::plane}; }
GeometricShape ellipsoid(const Vec3& half_axes) {
  return {.kind = GeometricShape::Kind::ellipsoid, .edges = 2 * half_axes};
}
GeometricShape mesh(const TriangleMesh& of, bool convex) {
  return {.kind = GeometricShape::Kind::mesh, .vertices = of.vertices, .faces = of.faces, .convex = convex};
}
/// A wedge with a bent top: its hull, and the body with a groove in it.
const TriangleMesh& wedge() {
  static const TriangleMesh made = *convex_hull(std::vector<Vec3>{{-0.4, -0.3, -0.2},
                                                                  {0.5, -0.3, -0.25},
                                                                  {0.45, 0.4, -0.2},
                                                                  {-0.4, 0.35, -0.3},
                                                                  {-0.3, -0.1, 0.3},
                                                                  {0.3, 0.2, 0.35}});
  return made;
}
const TriangleMesh& grooved() {
  static const TriangleMesh made{{{-0.5, -0.5, -0.4},
                                  {0.5, -0.5, -0.4},
                                  {0.5, 0.5, -0.4},
                                  {-0.5, 0.5, -0.4},
                                  {-0.5, -0.5, 0.4},
                                  {0.5, -0.5, 0.3},
                                  {0.5, 0.5, 0.4},
                                  {-0.5, 0.5, 0.35},
                                  {0.05, 0, -0.1}},
                                 {{0, 2, 1},
                                  {0, 3, 2},
                                  {0, 1, 5},
                                  {0, 5, 4},
                                  {1, 2, 6},
                                  {1, 6, 5},
                                  {2, 3, 7},
                                  {2, 7, 6},
                                  {3, 0, 4},
                                  {3, 4, 7},
                                  {4, 5, 8},
                                  {5, 6, 8},
                                  {6, 7, 8},
                                  {7, 4, 8}}};
  return made;
}
GeometricShape hills() {
  static const std::vector<double> heights = [] {
    std::vector<double> made;
    for (int i = 0; i < 15; ++i)
      for (int k = 0; k < 17; ++k) made.push_back(0.1 * std::sin(0.9 * i) * std::cos(0.7 * k));
    return made;
  }();
  return {.kind = GeometricShape::Kind::height_field, .edges = {14, 16, 0}, .heights = heights, .rows = 15};
}

const Mat3 upright = rotation_matrix(Quat{1, 0, 0, 0});

/// The nearest of all points of a pair, the first shape at p and the second at the origin.
ContactPoint nearest(const GeometricShape& first, const Vec3& p, const GeometricShape& second,
                     const Mat3& R = upright) {
  ShapeStore store;
  const ShapePair pair(first, second, store);
  std::vector<ContactPoint> points(pair.points());
  REQUIRE(!points.empty());
  const Vec3 origin{};
  pair.locate({R, p}, {upright, origin}, points);
  return *std::ranges::min_element(points, {}, &ContactPoint::gap);
}

void check(const ContactPoint& found, double gap, const Vec3& normal) {
  CHECK(found.gap == Approx(gap).margin(1e-15));
  CHECK(norm(found.normal - normal) < 1e-12);
}

}  // namespace

TEST_CASE("distances of shapes that stand so that they are known") {
  check(nearest(sphere(0.2), {0, 0, 0.5}, plane()), 0.3, {0, 0, 1});
  check(nearest(plane(), {0, 0, -0.5}, sphere(0.2)), 0.3, {0, 0, -1});
  check(nearest(sphere(0.2), {0, 3, 4}, sphere(0.5)), 4.3, {0, 0.6, 0.8});
  check(nearest(sphere(0.2), {1, 0, 0.4}, capsule(0.3, 1)), 0.5, {1, 0, 0});
  check(nearest(sphere(0.2), {0, 3, 4.5}, capsule(0.3, 1)), 4.5, {0, 0.6, 0.8});
  check(nearest(sphere(0.2), {0.1, -0.2, 0.9}, box({1, 1, 1})), 0.2, {0, 0, 1});
  check(nearest(sphere(0.2), {0.1, 0.45, 0.2}, box({1, 1, 1})), -0.25, {0, 1, 0});
  check(nearest(sphere(0.2), {0.8, 0.9, 0.1}, box({1, 1, 1})), 0.3, {0.6, 0.8, 0});
  check(nearest(sphere(0.2), {0.9, 1.2, 0.3}, cylinder(0.5, 1)), 0.8, {0.6, 0.8, 0});
  check(nearest(sphere(0.2), {0.1, 0.1, 0.9}, cylinder(0.5, 1)), 0.2, {0, 0, 1});
  check(nearest(sphere(0.2), {0.1, 0, 0.48}, cylinder(0.5, 1)), -0.22, {0, 0, 1});
  check(nearest(sphere(0.2), {0.45, 0, 0.1}, cylinder(0.5, 1)), -0.25, {1, 0, 0});
  check(nearest(capsule(0.1, 2), {0, 0, 3}, capsule(0.2, 1)), 1.2, {0, 0, 1});
  check(nearest(capsule(0.1, 2), {0.7, 0, 0.2}, capsule(0.2, 1)), 0.4, {1, 0, 0});
  const Mat3 lying = rotation_matrix(Quat{std::sqrt(0.5), std::sqrt(0.5), 0, 0});  // z to −y
  check(nearest(capsule(0.1, 2), {0.7, 0.3, 0.2}, capsule(0.2, 1), lying), 0.4, {1, 0, 0});
  check(nearest(capsule(0.1, 2), {0, 0, 0.5}, plane(), lying), 0.4, {0, 0, 1});
  check(nearest(capsule(0.1, 2), {0, 0, 0.5}, plane()), -0.6, {0, 0, 1});
  check(nearest(cylinder(0.1, 2), {0, 0, 0.5}, plane(), lying), 0.4, {0, 0, 1});
  check(nearest(cylinder(0.1, 2), {0, 0, 1.5}, plane()), 0.5, {0, 0, 1});
  check(nearest(box({1, 2, 3}), {0, 0, 2}, plane()), 0.5, {0, 0, 1});
  check(nearest(box({1, 2, 3}), {0, 0, 2}, plane(), lying), 1, {0, 0, 1});
  const GeometricShape column = cylinder(0.5, 1), block = box({1, 1, 1});
  for (const GeometricShape& rod : {cylinder(0.2, 2), capsule(0.2, 2)}) {
    INFO(static_cast<int>(rod.kind));
    check(nearest(rod, {0.1, 0, 0.9}, column, lying), 0.2, {0, 0, 1});
    check(nearest(rod, {0.1, 0.9, 0.69}, column, lying), -0.01, {0, 0, 1});
    check(nearest(rod, {1, 0.2, 0.3}, column, lying), 0.3, {1, 0, 0});
    check(nearest(rod, {0.6, 0.8, 0.2}, column), 0.3, {0.6, 0.8, 0});
    check(nearest(rod, {0.3, 0.4, -0.9}, block, lying), 0.2, {0, 0, -1});
    check(nearest(rod, {0.3, 0.95, 0.69}, block, lying), -0.01, {0, 0, 1});
    check(nearest(rod, {0.1, 0.9, 0.2}, block), 0.2, {0, 1, 0});
    check(nearest(rod, {0.8, 0.9, 0.1}, block), 0.3, {0.6, 0.8, 0});
  }
  check(nearest(cylinder(0.3, 1), {0.1, 0.2, 1.2}, column), 0.2, {0, 0, 1});
  check(nearest(cylinder(0.3, 1), {0.6, 0, -0.99}, column), -0.01, {0, 0, -1});
  check(nearest(cylinder(0.3, 1), {0.6, 0.4, 0.99}, block), -0.01, {0, 0, 1});
  check(nearest(cylinder(0.3, 1), {0.7, 0.7, 0.99}, block), -0.01, {0, 0, 1});
  // The rim of a disk that leans over a corner: the corner is below its lower end.
  const Mat3 leaning = rotation_matrix(from_rotation_vector({-0.3, -0.3, 0}));
  const Vec3 corner{-0.5, 0.5, 0.5}, out = leaning * Vec3{0, 0, 1};
  check(nearest(cylinder(0.5, 0.1), corner + leaning * Vec3{0.1, -0.2, 0} + 0.25 * out, block, leaning), 0.2, out);
  // A ball at the pole of an ellipsoid, at its equator and within; on a plane it lies at its support function.
  const GeometricShape egg = ellipsoid({0.3, 0.4, 0.5});
  check(nearest(sphere(0.2), {0, 0, 1}, egg), 0.3, {0, 0, 1});
  check(nearest(sphere(0.1), {-0.9, 0, 0}, egg), 0.5, {-1, 0, 0});
  check(nearest(sphere(0.1), {0.25, 0, 0}, egg), -0.15, {1, 0, 0});
  check(nearest(sphere(0.1), {}, egg), -0.4, {1, 0, 0});
  const Vec3 up = transpose_times(leaning, Vec3{0, 0, 1});
  const double reach = std::sqrt(0.09 * up.x * up.x + 0.16 * up.y * up.y + 0.25 * up.z * up.z);
  check(nearest(egg, {0.3, 0.2, 0.7}, plane(), leaning), 0.7 - reach, {0, 0, 1});
}

/// What touches of a box that has an edge downwards, along x but lower by an angle there, which crosses the edge of a
/// prism 0.01 below it at the origin. The prism has its edges along y through points (x, z).
std::vector<ContactPoint> across_prism(std::initializer_list<std::array<double, 2>> section, double angle) {
  std::vector<Vec3> corners;
  for (const auto& [x, z] : section)
    for (const double y : {-0.5, 0.5}) corners.push_back({x, y, z});
  const TriangleMesh prism = *convex_hull(corners);
  const Mat3 turned = rotation_matrix(from_rotation_vector({0, angle, 0})),
             on_edge = rotation_matrix(from_rotation_vector({std::acos(-1.0) / 4, 0, 0}));
  ShapeStore store;
  const ShapePair pair(box({0.4, 0.2, 0.2}), mesh(prism, true), store);
  std::vector<ContactPoint> points(pair.points());
  const Vec3 origin{}, place = Vec3{0, 0.05, 0} + turned * Vec3{0, 0, 0.1 * std::sqrt(2.0) - 0.01};
  pair.locate({turned * on_edge, place}, {upright, origin}, points);
  std::erase_if(points, [](const ContactPoint& point) { return !(point.gap < 0); });
  return points;
}

// The normal across two edges counts where it lies between the faces of each body.
TEST_CASE("an edge touches the edge of a blade, and beside that of a blunt body its face") {
  const auto blade = across_prism({{0, 0}, {-1, 0}, {-0.7, -1}, {-0.3, -1}}, 0.1);
  REQUIRE(blade.size() == 1);
  CHECK(blade[0].gap == Approx(-0.01).margin(1e-12));
  CHECK(norm(blade[0].normal - Vec3{std::sin(0.1), 0, std::cos(0.1)}) < 1e-12);
  // A roof of 0.26 rad: the box falls off more steeply, and only its lower corner touches.
  const double slope = 0.26, steep = 0.5;
  const auto roof = across_prism({{0, 0}, {1, -std::tan(slope)}, {1, -1}, {-1, -1}, {-1, -std::tan(slope)}}, steep);
  REQUIRE(roof.size() == 1);
  const double x = 0.2 * std::cos(steep) - 0.01 * std::sin(steep), z = -0.2 * std::sin(steep) - 0.01 * std::cos(steep);
  CHECK(roof[0].gap == Approx(x * std::sin(slope) + z * std::cos(slope)).margin(1e-12));
  CHECK(norm(roof[0].normal - Vec3{std::sin(slope), 0, std::cos(slope)}) < 1e-12);
}

// The rate of a distance is the velocity with which the surfaces part along the normal, and the power that the springs
// of a contact take up is the rate of their energy.
TEST_CASE("the gap changes with the velocity of the surfaces along the normal") {
  const std::array shapes{sphere(0.3), capsule(0.2, 0.7),          cylinder(0.4, 0.9),  box({0.5, 0.7, 0.9}),
                          plane(),     ellipsoid({0.3, 0.4, 0.5}), mesh(wedge(), true), mesh(grooved(), false),
                          hills()};
  const Vec3 va{0.3, -0.2, 0.5}, vb{-0.1, 0.4, 0.2}, wa{0.7, -0.4, 0.2}, wb{-0.3, 0.5, 0.6};
  const Quat tilted = from_rotation_vector({0.3, 0.2, -0.4});
  constexpr double h = 1e-5;
  for (const GeometricShape& first : shapes)
    for (const GeometricShape& second : shapes) {
      if (!ShapePair::exists(first.kind, second.kind)) continue;
      for (const ShapePair::Points wanted : {ShapePair::Points::all, ShapePair::Points::carried}) {
        ShapeStore store;
        const ShapePair pair(first, second, store, wanted);
        for (const Vec3& from : {Vec3{0.5, 0.6, 0.8}, Vec3{-0.9, 0.3, 0.5}, Vec3{0.2, -0.1, 1.3}}) {
          INFO(static_cast<int>(first.kind) << " " << static_cast<int>(second.kind) << " " << from.x);
          const auto at = [&](double t) {
            std::vector<ContactPoint> points(pair.points());
            const Mat3 Ra = rotation_matrix(from_rotation_vector(t * wa) * tilted),
                       Rb = rotation_matrix(from_rotation_vector(t * wb));
            const Vec3 pa = from + t * va, pb = t * vb;
            pair.locate({Ra, pa}, {Rb, pb}, points);
            return points;
          };
          const auto before = at(-h), now = at(0), after = at(h);
          double together = 0;  // of the points that are not carried
          for (std::size_t k = 0; k < now.size(); ++k) {
            const Vec3& p = now[k].position;
            const double expected = dot(now[k].normal, va + cross(wa, p - from) - vb - cross(wb, p));
            const double found = (after[k].gap - before[k].gap) / (2 * h);
            if (now[k].is_carried)
              CHECK(found == Approx(expected).margin(1e-8));
            else
              together += found - expected;
          }
          // A rim in a valley of a mesh has no deepest point with one normal.
          const bool has_edges =
              first.faces.size() == grooved().faces.size() || second.faces.size() == grooved().faces.size();
          if (!has_edges) CHECK(together == Approx(0).margin(1e-8));
        }
      }
    }
}

// The lowest point of a rim, however little it is tilted: z - h cos - r sin of the tilt.
TEST_CASE("a rim that is tilted by next to nothing has its lowest point on the rim") {
  const Quat turned = from_rotation_vector({0.3, 1.1, -0.7});
  const Mat3 R = rotation_matrix(turned);
  GeometricShape floor = plane();
  floor.pose.orientation = turned;
  for (double tilt = 1e-15; tilt < 0.1; tilt *= 3)
    for (const double around : {0.2, 1.7, 4.0}) {
      INFO(tilt << " about " << around);
      const Vec3 axis = R * Vec3{std::cos(around), std::sin(around), 0};
      const Mat3 leaning = rotation_matrix(from_rotation_vector(tilt * axis) * turned);
      const double gap = nearest(cylinder(0.3, 1), R * Vec3{0, 0, 0.6}, floor, leaning).gap;
      CHECK(gap == Approx(0.6 - 0.5 * std::cos(tilt) - 0.3 * std::sin(tilt)).margin(1e-15));
    }
}

// Upright cylinders upon each other, moved and tilted by rounding: as deep as they stand, and three springs in all.
TEST_CASE("what carries a cylinder on a cylinder does not depend on rounding") {
  ShapeStore store;
  for (const double side : {0.0, 1e-17, 3e-13, 1e-11, 2e-9, 1e-6, 0.02, 0.1})
    for (const double tilt : {0.0, 1e-17, 1e-13, 1e-11})
      for (const GeometricShape& low : {cylinder(0.1, 0.4), cylinder(0.12, 0.4), cylinder(0.08, 0.4)}) {
        INFO(side << " aside, tilted by " << tilt << ", on a radius of " << low.radius);
        const ShapePair pair(cylinder(0.1, 0.4), low, store);
        std::vector<ContactPoint> points(pair.points());
        const Mat3 R = rotation_matrix(from_rotation_vector({0.6 * tilt, -0.8 * tilt, 0}));
        const Vec3 place{0.6 * side, 0.8 * side, 0.4 - 1e-5}, origin{};
        pair.locate({R, place}, {upright, origin}, points);
        double share = 0;
        for (const ContactPoint& point : points) {
          CHECK(point.gap > -1e-5 - 1e-11);
          if (!(point.gap < -1e-12)) continue;
          CHECK(point.gap == Approx(-1e-5).margin(1e-11));
          share += point.share;
        }
        CHECK(share == Approx(3));
      }
}

// The depth that the lowest point of two ends lacks changes with the velocities there and in the middle.
TEST_CASE("the gap of the lowest point of flat ends changes with the velocities at its two places") {
  ShapeStore store;
  const ShapePair pair(cylinder(0.1, 0.4), cylinder(0.1, 0.4), store);
  const Vec3 va{0.003, -0.002, -0.005}, wa{0.007, -0.04, 0}, origin{};
  const auto at = [&](double t, double tilt, double around) {
    std::vector<ContactPoint> points(pair.points());
    const Vec3 leaning{tilt * std::cos(around), tilt * std::sin(around), 0};
    const Mat3 R = rotation_matrix(from_rotation_vector(t * wa) * from_rotation_vector(leaning));
    const Vec3 place = Vec3{0.03, 0.01, 0.4 - 1e-3} + t * va;
    pair.locate({R, place}, {upright, origin}, points);
    return *std::ranges::max_element(points, {}, [](const ContactPoint& p) { return std::abs(p.others); });
  };
  for (const double tilt : {0.002, 0.005, 0.008})
    for (const double around : {0.1, 1.3, 2.9, 4.4}) {
      INFO(tilt << " about " << around);
      constexpr double h = 1e-5;
      const ContactPoint now = at(0, tilt, around);
      CHECK(now.others < 0);
      const Vec3 centre{0.03, 0.01, 0.4 - 1e-3};
      const double rate = now.rate([&](const Vec3& p) { return va + cross(wa, p - centre); });
      const double found = (at(h, tilt, around).gap - at(-h, tilt, around).gap) / (2 * h);
      // The middle goes along with the ends as they slide on each other, by the tilt times the speed.
      CHECK(found == Approx(rate).margin(4 * tilt * norm(va)));
    }
}

// The least distance of two boxes whose faces are parallel is that of their sides along each axis, also where only
// edges or corners are nearest, and edges that are parallel cross nowhere.
TEST_CASE("the points that a law holds tell how far boxes with parallel faces are apart") {
  ShapeStore store;
  const Vec3 low{0.2, 0.4, 0.2}, high{0.2, 0.2, 0.3};
  const ShapePair pair(box(high), box(low), store, ShapePair::Points::carried);
  std::vector<ContactPoint> points(pair.points());
  for (const double x : {0.0, 0.1, 0.2, 0.25, 0.31})
    for (const double y : {0.0, 0.3, 0.34, -0.4})
      for (const double z : {0.25, 0.3, 0.45}) {
        const Vec3 apart{std::max(0.0, x - 0.2), std::max(0.0, std::abs(y) - 0.3), std::max(0.0, z - 0.25)};
        INFO(x << " " << y << " " << z);
        pair.locate({Mat3::identity(), {x, y, z}}, {Mat3::identity(), {}}, points);
        const auto nearest = std::ranges::min_element(points, {}, &ContactPoint::apart);
        CHECK(nearest->apart() == Approx(norm(apart)).margin(1e-9));
      }
}
