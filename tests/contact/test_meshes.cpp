// Meshes and height fields against the shapes that they stand for.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "shape_pair.hpp"

using namespace polyform;
using namespace polyform::contact;
using Kind = GeometricShape::Kind;

namespace {

const Mat3 level = Mat3::identity();

/// The sums over the points that overlap: what linear springs there would do.
struct Sums {
  double depth = 0;
  Vec3 push, moment;
};
Sums sums_of(const GeometricShape& first, const Mat3& R, const Vec3& p, const GeometricShape& second) {
  ShapeStore store;
  const ShapePair pair(first, second, store);
  std::vector<ContactPoint> points(pair.points());
  const Vec3 origin{};
  pair.locate({R, p}, {level, origin}, points);
  Sums sums;
  for (const ContactPoint& c : points) {
    if (!(c.gap < 0)) continue;
    sums.depth -= c.gap;
    sums.push -= c.gap * c.normal;
    sums.moment -= c.gap * cross(c.position, c.normal);
  }
  return sums;
}
void check_equal(const Sums& one, const Sums& other, double tolerance) {
  CHECK(one.depth == Approx(other.depth).margin(tolerance));
  CHECK(norm(one.push - other.push) < tolerance);
  CHECK(norm(one.moment - other.moment) < tolerance);
}

GeometricShape mesh_of(const TriangleMesh& mesh, bool convex) {
  return {.kind = Kind::mesh, .vertices = mesh.vertices, .faces = mesh.faces, .convex = convex};
}
TriangleMesh box_mesh(const Vec3& edges) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(
        {k & 1 ? edges.x / 2 : -edges.x / 2, k & 2 ? edges.y / 2 : -edges.y / 2, k & 4 ? edges.z / 2 : -edges.z / 2});
  return *convex_hull(corners);
}
TriangleMesh cylinder_mesh_of(double radius, double length, int sides) {
  std::vector<Vec3> corners;
  for (int i = 0; i < sides; ++i)
    for (const double z : {-length / 2, length / 2}) {
      const double angle = 2 * std::numbers::pi * i / sides;
      corners.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  return *convex_hull(corners);
}

struct Numbers {  // the same on every computer
  std::uint64_t state = 7;
  double next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1.0p-53 * 2 - 1;
  }
  Vec3 vector() { return {next(), next(), next()}; }
};

}  // namespace

TEST_CASE("a convex hull has all points behind its faces, is closed and keeps Euler's number") {
  Numbers numbers;
  std::vector<std::vector<Vec3>> clouds;
  clouds.reserve(4);
  std::vector<Vec3>& ball = clouds.emplace_back();
  for (int i = 0; i < 400; ++i) {
    const Vec3 v = numbers.vector();
    ball.push_back((1 / norm(v)) * v);
  }
  std::vector<Vec3>& grid = clouds.emplace_back();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k) grid.push_back({0.1 * i, 0.3 * j, 0.7 * k});
  std::vector<Vec3>& turned = clouds.emplace_back();
  for (const Vec3& v : grid) turned.push_back(rotation_matrix(from_rotation_vector({0.3, 0.5, -0.2})) * v);
  std::vector<Vec3>& rounded = clouds.emplace_back();
  for (const Vec3& v : turned)
    rounded.push_back({static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
  for (const std::vector<Vec3>& cloud : clouds) {
    const auto hull = convex_hull(cloud);
    REQUIRE(hull);
    CHECK(is_closed(*hull));
    CHECK(hull->vertices.size() - hull->faces.size() / 2 == 2);
    double farthest = 0;
    for (const auto& f : hull->faces) {
      const Vec3 a = hull->vertices[f[0]];
      const Vec3 n = cross(hull->vertices[f[1]] - a, hull->vertices[f[2]] - a);
      if (norm(n) > 1e-12)
        for (const Vec3& v : cloud) farthest = std::max(farthest, dot(n, v - a) / norm(n));
    }
    CHECK(farthest < 1e-7);
  }
  CHECK(convex_hull(grid)->vertices.size() == 8);
  CHECK(!convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}}));
}

TEST_CASE("meshes are read from STL and OBJ files, and faults are told with their line") {
  MeshFault fault;
  const char* const obj =
      "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2/2 4//3\nf 2 3 4\nf -4 -1 -2\n";
  const auto tetrahedron = read_mesh(obj, ".OBJ", fault);
  REQUIRE(tetrahedron);
  CHECK(is_closed(*tetrahedron));
  CHECK(!read_mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", ".obj", fault));
  CHECK((fault.line == 4 && fault.what == "a face names vertex 4 of 3"));
  CHECK(!read_mesh("v 0 0 0\nv 1 nan 0\n", ".obj", fault));
  CHECK((fault.line == 2 && fault.what == "'nan' is no coordinate"));
  std::string stl = "solid t\n";
  for (const auto& f : tetrahedron->faces) {
    stl += "facet normal 0 0 0\nouter loop\n";
    for (const std::uint32_t c : f) {
      const Vec3& v = tetrahedron->vertices[c];
      stl += "vertex " + std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z) + "\n";
    }
    stl += "endloop\nendfacet\n";
  }
  const auto again = read_mesh(stl + "endsolid\n", ".stl", fault);
  REQUIRE(again);
  CHECK((again->vertices.size() == 4 && is_closed(*again)));
  CHECK(!read_mesh("solid t\nfacet\nvertex 0 0\n", ".stl", fault));
  CHECK((fault.line == 3 && fault.what == "a corner has three coordinates"));
  std::string binary(84, '\0');
  binary[80] = 3;
  CHECK(!read_mesh(binary + std::string(100, 'x'), ".stl", fault));
  CHECK(fault.what == "a binary STL file of 3 triangles has 234 bytes at least, and this one has 184");
  CHECK(!read_mesh(obj, ".ply", fault));
}

TEST_CASE("a convex mesh of a box touches as the box does, to rounding") {
  const Vec3 edges{0.4, 0.5, 0.6};
  const TriangleMesh made = box_mesh(edges);
  const GeometricShape box{.kind = Kind::box, .edges = edges}, mesh = mesh_of(made, true);
  const std::array others{
      GeometricShape{.kind = Kind::box, .edges = {1, 1, 1}}, GeometricShape{.kind = Kind::sphere, .radius = 0.5},
      GeometricShape{.kind = Kind::capsule, .radius = 0.2, .length = 0.9},
      GeometricShape{.kind = Kind::cylinder, .radius = 0.5, .length = 1}, GeometricShape{.kind = Kind::plane}};
  Numbers numbers;
  int touching = 0;
  for (const GeometricShape& other : others)
    for (int i = 0; i < 300; ++i) {
      const Mat3 R = rotation_matrix(from_rotation_vector(2 * numbers.vector()));
      Vec3 from = numbers.vector();
      if (other.kind == Kind::plane) from = {0, 0, 1};
      // From far away to an overlap of a little.
      const Vec3 direction = (1 / norm(from)) * from;
      double far = 2;
      while (far > 0.1 && sums_of(box, R, far * direction, other).depth == 0) far -= 0.002;
      const Sums of_box = sums_of(box, R, far * direction, other), of_mesh = sums_of(mesh, R, far * direction, other);
      INFO(static_cast<int>(other.kind) << " " << i);
      check_equal(of_mesh, of_box, 1e-13);
      check_equal(sums_of(other, transpose(R), transpose_times(R, -far * direction), mesh),
                  sums_of(other, transpose(R), transpose_times(R, -far * direction), box), 1e-13);
      touching += of_box.depth > 0;
    }
  CHECK(touching > 1400);
}

TEST_CASE("the triangles of a box touch balls and corners as the box does") {
  const Vec3 edges{1, 1.2, 0.8};
  const TriangleMesh made = box_mesh(edges);
  const GeometricShape box{.kind = Kind::box, .edges = edges}, mesh = mesh_of(made, false);
  Numbers numbers;
  for (int i = 0; i < 300; ++i) {
    const GeometricShape ball{.kind = Kind::sphere, .radius = 0.2};
    const Vec3 p = 0.8 * numbers.vector();
    check_equal(sums_of(ball, level, p, mesh), sums_of(ball, level, p, box), 1e-13);
  }
}

TEST_CASE("the mesh of a cylinder tends to the cylinder") {
  const GeometricShape cylinder{.kind = Kind::cylinder, .radius = 0.3, .length = 0.8};
  const GeometricShape ball{.kind = Kind::sphere, .radius = 0.2};
  double before = 1;
  for (const int sides : {16, 32, 64}) {
    const TriangleMesh made = cylinder_mesh_of(0.3, 0.8, sides);
    double worst = 0;
    for (const Vec3& p : {Vec3{0.4, 0.2, 0.1}, Vec3{-0.1, 0.45, 0.3}, Vec3{0.1, 0.05, 0.55}, Vec3{0.31, -0.2, 0.5}})
      worst = std::max(worst, std::abs(sums_of(ball, level, p, cylinder).depth -
                                       sums_of(ball, level, p, mesh_of(made, true)).depth));
    // Within the sagitta r (1 − cos(π/n)), which falls with the square of the number.
    CHECK(worst < 0.3 * (1 - std::cos(std::numbers::pi / sides)) * 1.5);
    CHECK(worst < before);
    before = worst;
  }
}

TEST_CASE("a level height field touches as a plane does, and a sloping one as a sloping plane") {
  const Mat3 tilt = rotation_matrix(from_rotation_vector({0, -std::atan(0.25), 0}));
  std::vector<double> flat(12 * 12, 0.3), sloping;
  for (int i = 0; i < 12; ++i)
    for (int k = 0; k < 12; ++k) sloping.push_back(0.25 * (i - 5.5));
  const TriangleMesh made = box_mesh({0.5, 0.4, 0.3});
  const std::array shapes{GeometricShape{.kind = Kind::sphere, .radius = 0.5},
                          GeometricShape{.kind = Kind::capsule, .radius = 0.2, .length = 0.9},
                          GeometricShape{.kind = Kind::box, .edges = {0.5, 0.4, 0.3}},
                          GeometricShape{.kind = Kind::ellipsoid, .edges = {0.5, 0.6, 0.7}}, mesh_of(made, true)};
  Numbers numbers;
  for (const bool is_flat : {true, false}) {
    const GeometricShape field{
        .kind = Kind::height_field, .edges = {11, 11, 0}, .heights = is_flat ? flat : sloping, .rows = 12};
    GeometricShape plane{.kind = Kind::plane};
    if (is_flat)
      plane.pose.position = {0, 0, 0.3};
    else
      plane.pose.orientation = quaternion_of(tilt);
    for (const GeometricShape& shape : shapes)
      for (int i = 0; i < 50; ++i) {
        const Mat3 R = rotation_matrix(from_rotation_vector(2 * numbers.vector()));
        const Vec3 p = numbers.vector() + Vec3{0, 0, is_flat ? 0.6 : 0.2};
        INFO(static_cast<int>(shape.kind) << " " << i);
        check_equal(sums_of(shape, R, p, field), sums_of(shape, R, p, plane), 1e-12);
      }
  }
}

TEST_CASE("what lies over the edge of a table is held from below alone") {
  const GeometricShape table{.kind = Kind::box, .edges = {1, 1, 1}};
  const TriangleMesh made = box_mesh({0.4, 0.3, 0.1});
  for (const GeometricShape& shape : {GeometricShape{.kind = Kind::box, .edges = {0.4, 0.3, 0.1}}, mesh_of(made, true),
                                      GeometricShape{.kind = Kind::cylinder, .radius = 0.2, .length = 0.1}})
    for (const double x : {0.3, 0.45, 0.5, 0.55, 0.65}) {
      const Sums sums = sums_of(shape, level, {x, 0.013, 0.5499}, table);
      INFO(static_cast<int>(shape.kind) << " " << x);
      CHECK(norm(sums.push - sums.depth * Vec3{0, 0, 1}) < 1e-15);
      CHECK(sums.depth > 1.9e-4);
      CHECK(sums.depth < 9e-4);
    }
}
