// Boxes on boxes and capsules on boxes: at rest, over an edge, edge on edge.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "exact_run.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81;

/// A body of 2 kg with a shape on a table, whose top is the plane z = 0 with a rim at x = 0.
std::string on_table(const std::string& shape, const std::string& position, const std::string& orientation,
                     const std::string& contact) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\n"
      "ground: {{geometry: [{{type: box, size: [1, 1, 1], position: [-0.5, 0, -0.5]}}]}}\nbodies:\n"
      "  - {{name: body, mass: 2, inertia: {{xx: 0.02, yy: 0.03, zz: 0.04}}, position: {},{}\n"
      "     geometry: [{}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: body}}\n"
      "forces:\n  - {{name: c, type: contact, a: body, b: ground, {}}}\n",
      position, orientation, shape, contact);
}
const char* const slab = "{type: box, size: [0.4, 0.3, 0.1]}";
const char* const rod = "{type: capsule, radius: 0.05, length: 0.4}";
const char* const unyielding = "law: rigid, restitution: 0, friction: {dynamic: 0.5}";

}  // namespace

TEST_CASE("what lies over the edge of a table stays while its mass centre is over the table") {
  for (const auto& [shape, orientation] :
       {std::pair{slab, ""}, std::pair{rod, " orientation: {axis: [0, 1, 0], angle: 1.5707963267948966},"}}) {
    const auto system = system_from_text(on_table(shape, "[-0.02, 0.01, 0.05]", orientation, unyielding));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << shape);
      const Ended ended = run_to_end(*system, *formulation, exact_run(1));
      CHECK(norm(ended.positions[0] - Vec3{-0.02, 0.01, 0.05}) < 1e-11);
    }
  }
}

// A slab that turns about the rim, where friction holds it: J α = m g x, J = I + m (x² + z²).
TEST_CASE("a slab tips over the edge of a table when its mass centre is beyond") {
  const auto system = system_from_text(on_table(slab, "[0.02, 0, 0.05]", "", unyielding));
  const double inertia = 0.03 + 2 * (0.02 * 0.02 + 0.05 * 0.05), rate = std::sqrt(2 * earth / inertia);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(0.05));
    // φ̈ = ω² (x cos φ + z sin φ), by its series.
    const double t = 0.05, a = rate * rate * 0.02, b = rate * rate * rate * rate * 0.02 * 0.05;
    const double angle = a * t * t / 2 + b * t * t * t * t / 24;
    CHECK(ended.positions[0].x == Approx(0.02 * std::cos(angle) + 0.05 * std::sin(angle)).epsilon(1e-5));
    CHECK(ended.positions[0].z == Approx(0.05 * std::cos(angle) - 0.02 * std::sin(angle)).epsilon(1e-5));
    CHECK(ended.record.energy_drift < 1e-9);
  }
}

TEST_CASE("boxes that stand upon each other rest, and the sum of the heights stays") {
  const auto pile = [](const std::array<double, 3>& heights, const char* law) {
    std::string text = "polyform: 1\ngravity: [0, 0, -9.81]\nground: {geometry: [{type: plane}]}\nbodies:\n";
    for (std::size_t i = 0; i < 3; ++i)
      text += fmt::format(
          "  - {{name: b{}, mass: {}, inertia: {{xx: 0.02, yy: 0.02, zz: 0.02}}, position: [0, 0, {:.17g}],\n"
          "     geometry: [{{type: box, size: [0.2, 0.2, 0.2]}}]}}\n",
          i, 1 + i, heights[i]);
    text += "joints:\n";
    for (int i = 0; i < 3; ++i) text += fmt::format("  - {{name: j{}, type: free, base: ground, moving: b{}}}\n", i, i);
    return system_from_text(text + fmt::format("contacts: {{all: true, {}}}\n", law));
  };
  const auto rigid_pile = pile({0.1, 0.3, 0.5}, "law: rigid, restitution: 0, friction: {dynamic: 0.5}");
  for (const Formulation* formulation : formulations_for(*rigid_pile)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*rigid_pile, *formulation, exact_run(0.2));
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(norm(ended.positions[i] - Vec3{0, 0, 0.1 + 0.2 * static_cast<double>(i)}) < 1e-11);
  }
  // Springs of k in each corner; between two boxes the corners of both count, so that there are eight.
  const double first = 6 * earth / 4e5, second = first + 5 * earth / 8e5, third = second + 3 * earth / 8e5;
  const auto soft_pile = pile({0.1 - first, 0.3 - second, 0.5 - third}, "stiffness: 1.0e+5, exponent: 1");
  const Ended ended = run_to_end(*soft_pile, *formulations_for(*soft_pile).front(), exact_run(0.02));
  for (const Vec3& v : ended.velocities) CHECK(norm(v) < 1e-11);
}

// A box that stands on an edge along x falls on a rim that is along y: one place, under the mass centre.
TEST_CASE("a box that falls with an edge on an edge comes back with its restitution") {
  const double half = 0.1 * std::sqrt(2.0), h = 0.2, speed = std::sqrt(2 * earth * h), fallen = speed / earth;
  const std::string text = fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\n"
      "ground: {{geometry: [{{type: box, size: [0.6, 2, 0.6], position: [0, 0, {:.17g}],\n"
      "   orientation: {{axis: [0, 1, 0], angle: {:.17g}}}}}]}}\nbodies:\n"
      "  - {{name: body, mass: 2, inertia: {{xx: 0.02, yy: 0.03, zz: 0.04}}, position: [0, 0, {:.17g}],\n"
      "     orientation: {{axis: [1, 0, 0], angle: {:.17g}}}, geometry: [{{type: box, size: [0.5, 0.2, 0.2]}}]}}\n"
      "joints:\n  - {{name: j, type: free, base: ground, moving: body}}\n"
      "forces:\n  - {{name: c, type: contact, a: body, b: ground, ",
      -0.3 * std::sqrt(2.0), std::numbers::pi / 4, half + h, std::numbers::pi / 4);
  const auto system = system_from_text(text + "law: rigid, restitution: 0.6}\n");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(fallen + 0.1));
    CHECK(ended.velocities[0].z == Approx(0.6 * speed - earth * 0.1).epsilon(1e-9));
  }
  const auto soft = system_from_text(text + "stiffness: 1.0e+12, restitution: 0.6}\n");
  const Ended ended = run_to_end(*soft, *formulations_for(*soft).front(), exact_run(fallen + 0.1));
  // A contact of 50 µs, in which it does not fall.
  CHECK(ended.velocities[0].z == Approx(0.6 * speed - earth * 0.1).margin(1e-4 * earth));
}

// The ends of the edge stand at the ends of the cylinder, up to a rounding or a thousandth, or beyond them.
TEST_CASE("a box that falls with an edge along a cylinder of its length comes back, and keeps its energy on springs") {
  const double h = 0.1, low = 0.1 + 0.1 * std::sqrt(2.0), speed = std::sqrt(2 * earth * h), fallen = speed / earth;
  // Two corners with F = k δ^1.5: the time that they touch, without the weight (Hertz).
  const double way_in = std::pow(1.25 * 2 * speed * speed / (2 * 1e7), 0.4), touch = 2.9432 * way_in / speed;
  for (const double longer : {0.0, 1e-16, -1e-16, 1e-10, -1e-10, 2e-4, -2e-4, -0.05})
    for (const char* law : {"law: rigid, restitution: 0.6", "stiffness: 1e7, restitution: 1"}) {
      const auto system = system_from_text(fmt::format(
          "polyform: 1\ngravity: [0, 0, -9.81]\n"
          "ground: {{geometry: [{{type: cylinder, radius: 0.1, length: {:.17g},\n"
          "   orientation: {{axis: [0, 1, 0], angle: {:.17g}}}}}]}}\nbodies:\n"
          "  - {{name: body, mass: 2, inertia: {{xx: 0.02, yy: 0.02, zz: 0.02}}, position: [0, 0, {:.17g}],\n"
          "     orientation: {{axis: [1, 0, 0], angle: {:.17g}}}, geometry: [{{type: box, size: [0.2, 0.2, 0.2]}}]}}\n"
          "joints:\n  - {{name: j, type: free, base: ground, moving: body}}\n"
          "forces:\n  - {{name: c, type: contact, a: body, b: ground, {}}}\n",
          0.2 + longer, std::numbers::pi / 2, low + h, std::numbers::pi / 4, law));
      const bool is_rigid = std::string(law).starts_with("law");
      INFO("longer by " << longer << " m, " << law);
      const Ended ended = run_to_end(*system, *formulations_for(*system).front(), exact_run(fallen + 0.05));
      CHECK(ended.record.end == host::End::done);
      const double rises = is_rigid ? 0.6 * speed - earth * 0.05 : speed - earth * (0.05 - touch);
      CHECK(ended.velocities[0].z == Approx(rises).margin(is_rigid ? 1e-9 : 1e-4 * earth));
      CHECK(ended.record.energy_drift < 1e-8);
    }
}

// Of equal masses each takes the velocity of the other; beyond the height of a rounding they turn a little.
TEST_CASE("cylinders of one length that meet side by side exchange their velocities") {
  for (const char* law : {"law: rigid, restitution: 1", "stiffness: 1e8, restitution: 1"})
    for (const double height : {0.0, 1e-12, -1e-10, 1e-8}) {
      const auto system = system_from_text(fmt::format(
          "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
          "  - {{name: a, mass: 2, inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}},\n"
          "     geometry: [{{type: cylinder, radius: 0.1, length: 0.4}}]}}\n"
          "  - {{name: b, mass: 2, inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}}, position: [0.3, 0, {}], velocity: [-20, 0, 0],\n"
          "     geometry: [{{type: cylinder, radius: 0.1, length: 0.4}}]}}\n"
          "joints:\n  - {{name: j, type: free, base: ground, moving: a}}\n"
          "  - {{name: k, type: free, base: ground, moving: b}}\n"
          "forces:\n  - {{name: c, type: contact, a: a, b: b, {}}}\n",
          height, law));
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << law << " height " << height);
        const Ended ended = run_to_end(*system, *formulation, exact_run(0.02));
        CHECK(norm(ended.velocities[0] - Vec3{-20, 0, 0}) < 1e-4);
        CHECK(norm(ended.velocities[1]) < 1e-4);
        CHECK(ended.record.energy_drift < 1e-6);
      }
    }
}

// A corner that is in over one side of a ridge comes in over the other one: what the springs of both sides store
// differs. Between the states in flight before and after, the true loss is that of motion and height alone.
TEST_CASE("a contact without loss that gains or loses energy beyond the tolerance says so") {
  const auto drop = [](const char* ground) {
    return system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, -9.81]
ground: {{geometry: [{}]}}
bodies:
  - {{name: b, mass: 2, inertia: {{xx: 0.01, yy: 0.015, zz: 0.02}}, position: [-0.0953198, 0.0985835, 0.4],
     orientation: [0.2574215578670227, 0.2285571465995259, 0.050588578189569675, 0.9375161694820818],
     velocity: [-0.49318, -0.04598, -1.79974], angular_velocity: [-0.730336, 2.821584, 2.455336],
     geometry: [{{type: box, size: [0.3, 0.2, 0.15]}}]}}
joints:
  - {{name: j, type: free, base: ground, moving: b}}
forces:
  - {{name: c, type: contact, a: b, b: ground, stiffness: 3.5e+6, restitution: 1}}
)YAML",
                                        ground));
  };
  const auto energy = [](const Vec3& v, const Vec3& w, const Vec3& p, const Quat& q) {
    const Vec3 own = transpose_times(rotation_matrix(q), w);
    return dot(v, v) + 0.5 * (0.01 * own.x * own.x + 0.015 * own.y * own.y + 0.02 * own.z * own.z) + 2 * earth * p.z;
  };
  const double before = energy({-0.49318, -0.04598, -1.79974}, {-0.730336, 2.821584, 2.455336}, {0, 0, 0.4},
                               {0.2574215578670227, 0.2285571465995259, 0.050588578189569675, 0.9375161694820818});
  for (const bool on_ridge : {false, true}) {
    const auto system = drop(
        on_ridge ? "{type: box, size: [0.5, 2, 0.5], position: [0, 0, -0.35355339], orientation: {axis: [0, 1, 0], "
                   "angle: 0.78539816}}"
                 : "{type: box, size: [2, 2, 1], position: [0, 0, -0.5]}");
    const Ended ended = run_to_end(*system, *formulations_for(*system).front(), exact_run(on_ridge ? 0.2 : 0.3));
    const double after =
        energy(ended.velocities[0], ended.angular_velocities[0], ended.positions[0], ended.orientations[0]);
    INFO(on_ridge << ", change " << (after - before) / before << ", drift " << ended.record.energy_drift);
    const auto told = std::ranges::any_of(ended.record.warnings, [](const std::string& text) {
      return text.find("more than the errors of") != std::string::npos;
    });
    CHECK(told == on_ridge);
    CHECK((std::abs(after - before) > 1e-6 * before) == on_ridge);
  }
}

// A corner passes from face to face while it lies deep below the one and beside it, but for rounding: it is out of the
// box there. Nothing holds the two, so that their momentum stays.
TEST_CASE("boxes with edges that are parallel to a thousandth fall on each other without restitution") {
  struct Case {
    const char *lower, *upper, *at;
  };
  for (const Case& c :
       {Case{"axis: [-0.00022749110411345727, 0.9999998233794335, 0.0005490800479369527], angle: 0.7855683507470756",
             "axis: [-0.00016213283169188935, 0.9999998278909863, 0.0005638536535746119], angle: 1.0137028008416247",
             "0.07697576030334224, 0.01967330985114399"},
        Case{"axis: [5.154298186430362e-05, 0.9999999947458945, -8.860887119382311e-05], angle: 1.0536963965050663",
             "axis: [0.0005407920437119575, 0.9999998297482681, 0.0002191971726368624], angle: 0.9599396601658643",
             "0.08682023115766357, -0.04918845339943443"}}) {
    const std::string solid =
        "mass: 1, inertia: {xx: 0.0167, yy: 0.0067, zz: 0.0167}, geometry: [{type: box, size: [0.2, 0.4, 0.2]}]";
    const auto system = system_from_text(
        fmt::format("polyform: 1\ngravity: [0, 0, 0]\nbodies:\n  - {{name: a, {0}, orientation: {{{1}}}}}\n"
                    "  - {{name: b, {0}, orientation: {{{2}}}, position: [{3}, 0.33], velocity: [0, 0, -1]}}\n"
                    "joints:\n  - {{name: ja, type: free, base: ground, moving: a}}\n"
                    "  - {{name: jb, type: free, base: ground, moving: b}}\n"
                    "forces:\n  - {{name: ab, type: contact, a: a, b: b, law: rigid, restitution: 0,\n"
                    "     friction: {{static: 0.3, dynamic: 0.3}}}}\n",
                    solid, c.lower, c.upper, c.at));
    host::RunSettings settings = run_settings("dopri5");
    settings.duration = 0.6;
    settings.output_interval = 0.01;
    settings.relative_tolerance = 1e-8;
    settings.absolute_tolerance = 1e-10;
    const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings);
    INFO(ended.record.failure);
    CHECK(ended.record.end == host::End::done);
    CHECK(ended.record.energy_drift < 1e-7);
    CHECK(ended.record.events < 200);
    CHECK(norm(ended.velocities[0] + ended.velocities[1] - Vec3{0, 0, -1}) < 1e-9);
  }
}
