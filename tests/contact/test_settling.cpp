// Bodies that are laid flat on others, on springs: where they oscillate and where they rest, against closed forms.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "exact_run.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81, mass = 2, k = 2e6;

/// A shape with a height, and how many of its points touch a flat ground.
struct Flat {
  const char* shape;
  double height;
  int points;
};
constexpr Flat cylinder{"{type: cylinder, radius: 0.1, length: 0.4}", 0.4, 3},
    column{"{type: box, size: [0.2, 0.2, 0.4]}", 0.4, 4}, cube{"{type: box, size: [0.2, 0.2, 0.2]}", 0.2, 4},
    mesh{
        "{type: mesh, convex: true, vertices: [[-0.1, -0.1, -0.2], [0.1, -0.1, -0.2], [-0.1, 0.1, -0.2], [0.1, 0.1, "
        "-0.2], [-0.1, -0.1, 0.2], [0.1, -0.1, 0.2], [-0.1, 0.1, 0.2], [0.1, 0.1, 0.2]]}",
        0.4, 4};
constexpr std::array grounds{
    "{type: plane}", "{type: mesh, vertices: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], faces: [[0, 1, 2, 3]]}",
    "{type: height-field, spacing: 1, heights: [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}"};

/// Upright free bodies upon each other that just touch, with linear springs of stiffness k between them.
std::string tower(const char* ground, std::initializer_list<Flat> flats, const std::string& law) {
  std::string bodies, joints;
  double z = 0;
  for (int i = 0; const Flat& flat : flats) {
    bodies += fmt::format(
        "  - {{name: b{}, mass: {}, inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}}, position: [0, 0, {:.17g}],\n"
        "     geometry: [{}]}}\n",
        i, mass, z + 0.5 * flat.height, flat.shape);
    joints += fmt::format("  - {{name: j{0}, type: free, base: ground, moving: b{0}}}\n", i++);
    z += flat.height;
  }
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -{}]\nground: {{geometry: [{}]}}\nbodies:\n{}joints:\n{}"
      "contacts: {{all: true, stiffness: {}, exponent: 1, {}}}\n",
      g, ground, bodies, joints, k, law);
}

/// duration: s.
host::RunSettings run_of(double duration) {
  host::RunSettings s = exact_run(duration);
  s.integrator = run_settings("dopri5").integrator;
  return s;
}

// Gaps of exactly zero close from rest. Each run takes some hundred steps; one in which the first motion is lost in the
// rounding of places takes thousands.
constexpr std::size_t most_steps = 2000;

/// How far two bodies of one mass on springs sink from where the springs are free:
/// d(t) = (1 − cos(√A t)) A⁻¹ (g, g), A being stiffness over mass.
std::array<double, 2> sunk(double low, double high, double t) {
  const double a = (low + high) / mass, b = -high / mass, c = high / mass;
  const double middle = 0.5 * (a + c), root = std::sqrt(middle * middle - (a * c - b * b));
  const double fast = std::cos(std::sqrt(middle + root) * t), slow = std::cos(std::sqrt(middle - root) * t);
  const double slope = (fast - slow) / (2 * root), constant = fast - slope * (middle + root);
  const double first = 2 * g * mass / low, second = first + g * mass / high;
  return {first - (constant + slope * a) * first - slope * b * second,
          second - slope * b * first - (constant + slope * c) * second};
}

}  // namespace

TEST_CASE("what is laid upright on plane, mesh and height field oscillates on its springs") {
  for (const char* ground : grounds)
    for (const Flat& flat : {cylinder, column, cube, mesh}) {
      const auto system = system_from_text(tower(ground, {flat}, "restitution: 1"));
      const double omega = std::sqrt(flat.points * k / mass);
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << flat.shape << " on " << ground);
        const double t = 10 / omega;
        const Ended ended = run_to_end(*system, *formulation, run_of(t));
        CHECK(ended.record.failure == "");
        CHECK(ended.record.warnings.empty());
        CHECK(ended.record.steps < most_steps);
        const double z = 0.5 * flat.height - g / (omega * omega) * (1 - std::cos(omega * t));
        CHECK(norm(ended.positions[0] - Vec3{0, 0, z}) < 1e-10);
      }
    }
}

/// How many points the upper one of two bodies of one section stands on. Corners of both that lie on each other are
/// springs side by side; two cylinders have those of one.
int points_between(const Flat& low, const Flat& high) {
  return low.shape == cylinder.shape && high.shape == cylinder.shape ? cylinder.points : 2 * low.points;
}

TEST_CASE("bodies of one section upon each other oscillate as masses in a row") {
  for (const auto& [low, high] : {std::pair{cylinder, cylinder}, {column, cube}, {column, column}, {column, mesh}}) {
    const auto system = system_from_text(tower(grounds[0], {low, high}, "restitution: 1"));
    const double t = 1.5 / std::sqrt(low.points * k / mass);
    const auto d = sunk(low.points * k, points_between(low, high) * k, t);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << high.shape << " on " << low.shape);
      const Ended ended = run_to_end(*system, *formulation, run_of(t));
      CHECK(ended.record.failure == "");
      CHECK(ended.record.warnings.empty());
      CHECK(ended.record.steps < most_steps);
      CHECK(norm(ended.positions[0] - Vec3{0, 0, 0.5 * low.height - d[0]}) < 1e-10);
      CHECK(norm(ended.positions[1] - Vec3{0, 0, low.height + 0.5 * high.height - d[1]}) < 1e-10);
    }
  }
}

TEST_CASE("a stack of bodies of one section settles, and twice the time takes about twice the steps") {
  const std::string law = "restitution: 0.2, friction: {dynamic: 0.3}";
  // In absolute coordinates rounding moves the stack sideways too: so slow a friction bounds no steps by its stability.
  const std::string slow = "restitution: 0.2, friction: {dynamic: 0.3, velocity: 0.02}";
  constexpr std::array relative{"reduced", "riccati", "thompson"};
  for (const auto& [low, high] : {std::pair{cylinder, cylinder}, {column, cube}, {column, mesh}, {cube, column}}) {
    INFO(high.shape << " on " << low.shape);
    const auto whole = system_from_text(tower(grounds[0], {low, high}, law)),
               slower = system_from_text(tower(grounds[0], {low, high}, slow));
    for (const Formulation* formulation : formulations_for(*whole)) {
      INFO(formulation->name());
      const bool is_relative = std::ranges::find(relative, formulation->name()) != relative.end();
      const host::System& system = is_relative ? *whole : *slower;
      std::size_t steps = 0;
      for (const double t : {0.4, 0.8}) {
        host::RunSettings settings = run_settings("dopri5");
        settings.duration = t;
        const Ended ended = run_to_end(system, *formulation, settings);
        CHECK(ended.record.failure == "");
        CHECK(ended.record.warnings.empty());
        CHECK(ended.record.steps < (steps == 0 ? 4000 : 5 * steps / 2));
        steps = ended.record.steps;
        const double first = 2 * mass * g / (low.points * k),
                     second = first + mass * g / (points_between(low, high) * k);
        CHECK(norm(ended.positions[0] - Vec3{0, 0, 0.5 * low.height - first}) < 1e-8);
        CHECK(norm(ended.positions[1] - Vec3{0, 0, low.height + 0.5 * high.height - second}) < 1e-8);
        CHECK(norm(ended.velocities[1]) < 1e-6);
      }
    }
  }
}

// The upper one stands 1 cm off the centre. Its weight tilts the lower one by m g s/K, K being 3/2 k r² of three points
// of a rim; itself it leans by a little more.
TEST_CASE("a cylinder that is laid on another one off its centre settles") {
  for (const double fall : {0.0, 0.01}) {
    const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, -9.81]
ground: {{geometry: [{{type: plane}}]}}
bodies:
  - {{name: low, mass: 2, inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}}, position: [0, 0, {:.17g}],
     geometry: [{{type: cylinder, radius: 0.1, length: 0.4}}]}}
  - {{name: high, mass: 2, inertia: {{xx: 0.03, yy: 0.03, zz: 0.01}}, position: [0.01, 0, {:.17g}],
     geometry: [{{type: cylinder, radius: 0.1, length: 0.4}}]}}
joints:
  - {{name: j0, type: free, base: ground, moving: low}}
  - {{name: j1, type: free, base: ground, moving: high}}
contacts: {{all: true, stiffness: 2e6, exponent: 1, restitution: 0.2, friction: {{dynamic: 0.3, velocity: 0.02}}}}
)YAML",
                                                     0.2 + fall, 0.6 + 2 * fall));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", fallen from " << fall);
      host::RunSettings settings = run_settings("dopri5");
      settings.duration = 0.3;
      const Ended ended = run_to_end(*system, *formulation, settings);
      CHECK(ended.record.failure == "");
      CHECK(ended.record.warnings.empty());
      CHECK(ended.record.steps < 4000);
      // The impact moves it aside a little.
      const double low = 0.2 - 2 * mass * g / (3 * k), aside = ended.positions[1].x - ended.positions[0].x;
      const double tilt = mass * g * aside / (1.5 * k * 0.01);
      CHECK(aside == Approx(0.01).margin(fall > 0 ? 5e-4 : 1e-5));
      CHECK(ended.positions[0].z == Approx(low).margin(1e-9));
      CHECK(2 * ended.orientations[0].y == Approx(tilt).epsilon(0.01));
      CHECK(2 * ended.orientations[1].y == Approx(1.5 * tilt).epsilon(0.05));
      CHECK(norm(ended.velocities[1]) < 1e-5);
    }
  }
}
