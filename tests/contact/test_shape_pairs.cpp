// Distances of shapes: placed by hand, and along a motion.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
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

const Mat3 upright = rotation_matrix(Quat{1, 0, 0, 0});

/// The nearest of all points of a pair, the first shape at p and the second at the origin.
ContactPoint nearest(const GeometricShape& first, const Vec3& p, const GeometricShape& second,
                     const Mat3& R = upright) {
  const ShapePair pair(first, second);
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
}

// The rate of a distance is the velocity with which the surfaces part along the normal, and the power that the springs
// of a contact take up is the rate of their energy.
TEST_CASE("the gap changes with the velocity of the surfaces along the normal") {
  const std::array<GeometricShape, 5> shapes{sphere(0.3), capsule(0.2, 0.7), cylinder(0.4, 0.9), box({0.5, 0.7, 0.9}),
                                             plane()};
  const Vec3 va{0.3, -0.2, 0.5}, vb{-0.1, 0.4, 0.2}, wa{0.7, -0.4, 0.2}, wb{-0.3, 0.5, 0.6};
  const Quat tilted = from_rotation_vector({0.3, 0.2, -0.4});
  constexpr double h = 1e-5;
  for (const GeometricShape& first : shapes)
    for (const GeometricShape& second : shapes) {
      if (ShapePair::points_of(first.kind, second.kind) == 0) continue;
      const ShapePair pair(first, second);
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
          if (now[k].is_carried) CHECK(found == Approx(expected).margin(1e-8));
          else together += found - expected;
        }
        CHECK(together == Approx(0).margin(1e-8));
      }
    }
}
