// Cylinders, ellipsoids, meshes and height fields in motion, against closed forms and equations written apart.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/reader.hpp"
#include "exact_run.hpp"
#include "rolling_stone.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g_earth = 9.81;

/// A free body of 2 kg over a shape of ground.
std::string body_over(const std::string& ground, const std::string& shape, const std::string& body,
                      const std::string& contact, const std::string& gravity = "[0, 0, -9.81]") {
  return fmt::format(
      "polyform: 1\ngravity: {}\nground: {{geometry: [{}]}}\nbodies:\n"
      "  - {{name: body, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, {},\n     geometry: [{}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: body}}\n"
      "forces:\n  - {{name: c, type: contact, a: body, b: ground, {}}}\n",
      gravity, ground, body, shape, contact);
}

const std::string cube_corners =
    "vertices: [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [0.1, 0.1, -0.1], [-0.1, -0.1, 0.1], "
    "[0.1, -0.1, 0.1], [-0.1, 0.1, 0.1], [0.1, 0.1, 0.1]]";
const std::string cube = "{type: mesh, convex: true, " + cube_corners + "}";
/// A tray of triangles whose bottom is at z = 0, with a rim around it.
const std::string tray =
    "{type: mesh, vertices: [[-1, -1, -0.5], [1, -1, -0.5], [1, 1, -0.5], [-1, 1, -0.5], [-1, -1, 0.2], [1, -1, 0.2], "
    "[1, 1, 0.2], [-1, 1, 0.2], [-0.8, -0.8, 0], [0.8, -0.8, 0], [0.8, 0.8, 0], [-0.8, 0.8, 0]], faces: [[3, 2, 1, 0], "
    "[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 9, 8], [5, 6, 10, 9], [6, 7, 11, 10], [7, 4, 8, "
    "11], "
    "[8, 9, 10, 11]]}";
std::string level_field(double slope) {
  std::string rows;
  for (int i = 0; i < 8; ++i) {
    const double z = slope * (i - 3.5);
    rows += fmt::format("{}[{:.17g}, {:.17g}, {:.17g}, {:.17g}]", i == 0 ? "" : ", ", z, z, z, z);
  }
  return fmt::format("{{type: height-field, spacing: 1, heights: [{}]}}", rows);
}
const std::string lying_along_x =
    "{type: cylinder, radius: 0.3, length: 2, position: [0, 0, -0.3], "
    "orientation: {axis: [0, 1, 0], angle: 1.5707963267948966}}";
const std::string lying_along_y = "orientation: {axis: [1, 0, 0], angle: 1.5707963267948966}";

}  // namespace

// A body that falls by h on what is under its mass centre, with a point or in a symmetric way, rises to e² h.
TEST_CASE("what falls on cylinders, meshes and height fields rises by the square of the restitution") {
  constexpr double e = 0.6, h = 0.2;
  const std::string ball = "{type: sphere, radius: 0.1}";
  struct Drop {
    std::string ground, shape, orientation;
  };
  const std::string rod = "{type: cylinder, radius: 0.1, length: 1, " + lying_along_y + "}";
  const std::string pill = "{type: capsule, radius: 0.1, length: 1, " + lying_along_y + "}";
  const std::string table = "{type: box, size: [0.5, 0.5, 0.5], position: [0, 0, -0.25]}";
  const std::array drops{
      Drop{lying_along_x, rod, ""},
      Drop{lying_along_x, pill, ""},
      Drop{table, rod, ""},
      Drop{"{type: cylinder, radius: 0.5, length: 1, position: [0, 0, -0.5]}", rod, ""},
      Drop{"{type: plane}", "{type: ellipsoid, semi_axes: [0.3, 0.2, 0.1]}", ""},
      Drop{"{type: sphere, radius: 1, position: [0, 0, -1]}", "{type: ellipsoid, semi_axes: [0.3, 0.2, 0.1]}", ""},
      Drop{tray, ball, ""},
      Drop{tray, cube, ""},
      Drop{table, cube, ""},
      Drop{"{type: plane}", cube, ""},
      Drop{level_field(0), ball, ""},
      Drop{level_field(0), cube, ""},
      Drop{"{type: mesh, convex: true, scale: 3, position: [0, 0, -0.3], " + cube_corners + "}", ball, ""}};
  const double falling = std::sqrt(2 * h / g_earth), rising = e * falling;
  for (const Drop& drop : drops) {
    const auto system =
        system_from_text(body_over(drop.ground, drop.shape, fmt::format("position: [0, 0, {}]", 0.1 + h),
                                   fmt::format("law: rigid, restitution: {}", e)));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << drop.shape << " on " << drop.ground);
      const Ended ended = run_to_end(*system, *formulation, exact_run(falling + rising));
      CHECK(norm(ended.positions[0] - Vec3{0, 0, 0.1 + e * e * h}) < 1e-9);
    }
  }
}

// Under its weight a stack goes in by m g/(k n) where n points with linear springs carry m: there it rests.
TEST_CASE("a stack of cylinders and a mesh on springs goes in by its weight over the stiffness") {
  constexpr double k = 2e5;
  const double first = 6 * g_earth / (3 * k), second = 3 * g_earth / (3 * k), third = g_earth / (4 * k);
  const double low = 0.1 - first, high = 0.3 - first - second, top = 0.5 - first - second - third;
  const auto text = fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {{geometry: [{{type: box, size: [2, 2, 1], position: [0, 0, "
      "-0.5]}}]}}\n"
      "bodies:\n"
      "  - {{name: low, mass: 3, inertia: {{xx: 0.05, yy: 0.05, zz: 0.05}}, position: [0, 0, {:.17g}],\n"
      "     geometry: [{{type: cylinder, radius: 0.3, length: 0.2}}]}}\n"
      "  - {{name: high, mass: 2, inertia: {{xx: 0.02, yy: 0.02, zz: 0.02}}, position: [0, 0, {:.17g}],\n"
      "     geometry: [{{type: cylinder, radius: 0.2, length: 0.2}}]}}\n"
      "  - {{name: top, mass: 1, inertia: {{xx: 0.02, yy: 0.02, zz: 0.02}}, position: [0, 0, {:.17g}], geometry: "
      "[{}]}}\n"
      "joints:\n  - {{name: j1, type: free, base: ground, moving: low}}\n"
      "  - {{name: j2, type: free, base: ground, moving: high}}\n  - {{name: j3, type: free, base: ground, moving: "
      "top}}\n"
      "contacts: {{all: true, stiffness: {}, exponent: 1, restitution: 0.5}}\n",
      low, high, top, cube, k);
  const auto system = system_from_text(text);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(0.02));
    const std::array rest{low, high, top};
    for (std::size_t i = 0; i < rest.size(); ++i) {
      CHECK(norm(ended.positions[i] - Vec3{0, 0, rest[i]}) < 1e-11);
      CHECK(norm(ended.velocities[i]) < 1e-9);
    }
  }
}

// A ball that rolls on a slope has the acceleration 5/7 g sin α.
TEST_CASE("a ball rolls down a slope of triangles and of heights as down a plane") {
  constexpr double slope = 0.2;
  const double angle = std::atan(slope), run = 5.0 / 7 * g_earth * std::sin(angle) * 0.5 * 0.5 / 2;
  const std::string mesh =
      "{type: mesh, vertices: [[-3, -3, -0.6], [3, -3, 0.6], [3, 3, 0.6], [-3, 3, -0.6]], faces: [[0, 1, 2, 3]]}";
  const Vec3 normal{-std::sin(angle), 0, std::cos(angle)};
  for (const std::string& ground : {level_field(slope), mesh}) {
    const auto system =
        system_from_text(body_over(ground, "{type: sphere, radius: 0.1}",
                                   fmt::format("position: [{:.17g}, 0, {:.17g}]", 0.1 * normal.x, 0.1 * normal.z),
                                   "law: rigid, restitution: 0, friction: {dynamic: 0.5}"));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << ground);
      const Ended ended = run_to_end(*system, *formulation, exact_run(0.5));
      CHECK(norm(ended.positions[0] - 0.1 * normal + run * Vec3{std::cos(angle), 0, std::sin(angle)}) < 1e-9);
    }
  }
}

// The motion of the plank by its equation, integrated apart.
TEST_CASE("a plank rocks on a log as its equation says") {
  constexpr double R = 0.25, e = 0.03, m = 8, length = 1.8, t = 1.4;
  const double I = m * (length * length + 4 * e * e) / 12;
  double q = 0.3, v = 0;
  const auto rate = [&](double angle, double speed) {
    return -(m * R * R * angle * speed * speed + m * g_earth * (R * angle * std::cos(angle) - e * std::sin(angle))) /
           (I + m * (e * e + R * R * angle * angle));
  };
  constexpr int steps = 2000;
  for (int i = 0; i < steps; ++i) {
    constexpr double h = t / steps;
    const double a1 = rate(q, v), a2 = rate(q + h / 2 * v, v + h / 2 * a1);
    const double a3 = rate(q + h / 2 * (v + h / 2 * a1), v + h / 2 * a2),
                 a4 = rate(q + h * (v + h / 2 * a2), v + h * a3);
    q += h * (v + h / 6 * (a1 + a2 + a3));
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const Vec3 expected{(R + e) * std::sin(q) - R * q * std::cos(q), 0, (R + e) * std::cos(q) + R * q * std::sin(q)};
  const auto system = system_from_file(POLYFORM_MODELS "/plank_on_log.yaml");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(t));
    CHECK(norm(ended.positions[0] - expected) < 1e-7);
    CHECK(ended.angular_velocities[0].y == Approx(v).margin(1e-7));
  }
}

TEST_CASE("a rattleback turns back in one sense alone, as rolling without sliding has it") {
  const RollingStone stone{
      .half_axes = {0.2, 0.03, 0.02}, .below = 0.01, .mass = 1, .inertia = {2e-4, 1.6e-3, 1.7e-3, -2e-5, 0, 0}};
  constexpr double tilt = 0.00873, step = 2e-4;
  const auto start = [&](double spin) {
    return RollingStone::State{{-std::sin(tilt), std::sin(tilt) * std::cos(tilt), std::cos(tilt) * std::cos(tilt)},
                               {0, 0, spin}};
  };
  const auto after = [&](RollingStone::State y, double t) {
    for (int i = 0; i < static_cast<int>(std::lround(t / step)); ++i) y = stone.step(y, step);
    return y;
  };
  const auto spin_of = [](const RollingStone::State& y) { return dot(y.n, y.w); };
  CHECK(spin_of(after(start(5), 4)) > 4.5);
  CHECK(spin_of(after(start(-5), 4)) > 2);
  const auto system = system_from_file(POLYFORM_MODELS "/rattleback.yaml");
  constexpr double t = 1;
  const RollingStone::State expected = after(start(-5), t);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(t));
    const Vec3 up = rotation_matrix(conjugate(ended.orientations[0])) * Vec3{0, 0, 1};
    CHECK(norm(up - expected.n) < 1e-6);
    CHECK(ended.angular_velocities[0].z == Approx(spin_of(expected)).margin(1e-5));
  }
  host::RunSettings settings = exact_run(4);
  settings.relative_tolerance = 1e-8;
  const Ended turned = run_to_end(*system, *formulations_for(*system).front(), settings);
  CHECK(turned.angular_velocities[0].z > 2);
}

TEST_CASE("a mesh of a cube tumbles as the box does") {
  const std::string start = "position: [0, 0, 0.4], orientation: {axis: [1, 2, 0.3], angle: 0.7}";
  for (const std::string& law :
       {std::string("stiffness: 2.0e+5, restitution: 0.6, friction: {dynamic: 0.3, velocity: 0.05}"),
        std::string("law: rigid, restitution: 0.4, friction: {dynamic: 0.3}")})
    for (const std::string& ground :
         {std::string("{type: plane}"), std::string("{type: box, size: [4, 4, 1], position: [0, 0, -0.5]}")}) {
      std::vector<Ended> ended;
      for (const std::string& shape : {cube, std::string("{type: box, size: [0.2, 0.2, 0.2]}")}) {
        const auto system = system_from_text(body_over(ground, shape, start, law));
        ended.push_back(run_to_end(*system, *formulations_for(*system).front(), exact_run(0.6)));
      }
      INFO(law << " on " << ground);
      CHECK(norm(ended[0].positions[0] - ended[1].positions[0]) < 1e-8);
      CHECK(norm(ended[0].angular_velocities[0] - ended[1].angular_velocities[0]) < 1e-6);
    }
}

// Without friction and with restitution 1 a contact is a spring: the energy stays, whatever edge it is that touches.
TEST_CASE("elastic contacts of the new shapes keep the energy") {
  const std::string wedge =
      "{type: mesh, convex: true, vertices: [[-0.1, -0.08, -0.1], [0.12, -0.1, -0.1], [0.1, 0.1, -0.08], [-0.1, 0.1, "
      "-0.1], "
      "[0, 0.02, 0.15]]}";
  const std::string hills =
      "{type: height-field, spacing: 0.5, heights: [[0.3, 0.25, 0.2, 0.25, 0.3], [0.25, 0.1, 0.05, 0.1, 0.2], "
      "[0.2, 0.05, 0, 0.02, 0.2], [0.25, 0.1, 0.05, 0.1, 0.25], [0.3, 0.25, 0.2, 0.25, 0.3]]}";
  for (const std::string& ground : {tray, hills})
    for (const std::string& shape : {wedge, std::string("{type: cylinder, radius: 0.1, length: 0.2}"),
                                     std::string("{type: ellipsoid, semi_axes: [0.1, 0.15, 0.2]}"),
                                     std::string("{type: capsule, radius: 0.1, length: 0.2}")}) {
      const auto system = system_from_text(
          body_over(ground, shape, "position: [0.1, 0.05, 0.6], orientation: {axis: [1, 2, 0.3], angle: 0.7}",
                    "stiffness: 1.0e+5, exponent: 2, restitution: 1"));
      host::RunSettings settings = exact_run(1);
      settings.relative_tolerance = 1e-9;
      const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings);
      const Vec3 v = ended.velocities[0], w = ended.angular_velocities[0];
      INFO(shape << " on " << ground);
      const double energy = 0.5 * 2 * dot(v, v) + 0.5 * 0.008 * dot(w, w) + 2 * g_earth * ended.positions[0].z;
      CHECK(energy < 2 * g_earth * 0.6 * (1 + 1e-6));
    }
}

TEST_CASE("meshes and height fields that cannot be read are told with file and place") {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = [&](const char* name, const char* text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const std::string bad = file("polyform_bad.obj", "v 0 0 0\nv 1 0 0\nv 0 x 0\n");
  const std::string flat = file("polyform_flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string rows = file("polyform_rows.txt", "0 1 2\n0, 1, 2\n\n0 1\n");
  struct Bad {
    std::string shape, told;
  };
  const std::array cases{
      Bad{fmt::format("{{type: mesh, file: {}}}", bad), "line 3: 'x' is no coordinate"},
      Bad{fmt::format("{{type: mesh, file: {}, convex: true}}", flat), "the vertices of the mesh lie in one plane"},
      Bad{"{type: mesh, file: nowhere.stl}", "nowhere.stl"},
      Bad{fmt::format("{{type: mesh, file: {}}}", rows), "its name ends in none of .stl, .obj, .glb and .gltf"},
      Bad{"{type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces: [[0, 1, 3]]}", "there is no vertex 3"},
      Bad{"{type: mesh, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}", "the mesh has vertices and no faces"},
      Bad{"{type: mesh}", "file"},
      Bad{fmt::format("{{type: height-field, spacing: 1, file: {}}}", rows),
          "line 4: 2 heights, where the first row has 3"},
      Bad{"{type: height-field, spacing: 1, heights: [[0, 1]]}", "the height field has 1 rows of 2 heights"},
      Bad{"{type: height-field, spacing: -1, heights: [[0, 1], [1, 2]]}", "a distance greater than 0"},
      Bad{"{type: ellipsoid, semi_axes: [1, 0, 1]}", "a shape has no extent of 0 m"},
      Bad{"{type: plane}, {type: capsule, radius: 1, length: 1}", "there is no contact between"}};
  for (const Bad& one : cases) {
    const bool is_pair = one.told.starts_with("there is no contact");
    host::Diagnostics diagnostics;
    bool missing = false;
    const auto text =
        body_over(one.shape, is_pair ? "{type: ellipsoid, semi_axes: [1, 1, 1]}" : "{type: sphere, radius: 1}",
                  "position: [0, 0, 3]", "stiffness: 1");
    auto model = host::read_model_text(text, "model.yaml", registry().catalog(), diagnostics, missing);
    if (!diagnostics.failed() && is_pair)
      host::System::assemble(std::move(model), registry().keep_alive(), diagnostics);
    std::string told;
    for (const Diagnostic& d : diagnostics.all()) told += host::format(d) + "\n";
    INFO(one.shape << ": " << told);
    CHECK(told.find(one.told) != std::string::npos);
  }
}

TEST_CASE("a stone, a wheel and a ball come down the hills") {
  const auto system = system_from_file(POLYFORM_MODELS "/stone_on_hills.yaml");
  host::RunSettings settings = run_settings("dopri5");
  settings.duration = 1.5;
  settings.output_interval = 0.1;
  settings.step = 0.01;
  settings.relative_tolerance = 1e-6;
  settings.absolute_tolerance = 1e-8;
  const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings);
  const std::array start{0.35, 0.31, 0.3};
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Vec3 v = ended.velocities[i];
    CHECK(ended.positions[i].z + dot(v, v) / (2 * g_earth) < start[i] - 0.02);
    CHECK(ended.positions[i].z > 0.1);
  }
}
