// Bounces that end: what is left of them is rounding, and the bodies lie on their stops, in every integrator.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::RunSettings bounce_settings(const std::string& name, double tolerance, double duration) {
  host::RunSettings s = run_settings(name);
  s.duration = duration;
  s.step = 2e-3;
  s.output_interval = duration / 100;
  s.relative_tolerance = tolerance;
  return s;
}

}  // namespace

// Bounces of h, e² h, e⁴ h ... last √(2 h/g) (1 + e)/(1 − e) together. Near the end they are far lower than the error
// that a tolerance allows a place.
TEST_CASE("a mass on a hard stop bounces to its rest with any integrator and tolerance") {
  const double height = 0.4, restitution = 0.5;
  const double end = std::sqrt(2 * height / 9.81) * (1 + restitution) / (1 - restitution);
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\n"
      "bodies:\n  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: j, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}\nforces:\n"
      "  - {name: stop, type: joint-limit, joint: j, lower: -0.4, law: hard, restitution: 0.5}\n");
  for (const char* const name : {"cvode-bdf", "cvode-adams", "dopri5", "radau5", "generalized-alpha", "rk4"})
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      INFO(name << ", " << tolerance);
      const Ended ended =
          run_to_end(*system, *formulations_for(*system).front(), bounce_settings(name, tolerance, 1.1 * end));
      CHECK(ended.record.warnings.empty());
      CHECK(std::abs(ended.positions[0].z + height) < 1e-9);
      CHECK(std::abs(ended.velocities[0].z) < 1e-9);
    }
}

// From a fall of h the mass comes back to e² h, whatever the unit: after the first bounce of half a nanometre, too.
TEST_CASE("the unit of length does not decide which bounces are followed") {
  for (const double h : {1e-12, 1e-9, 1e-6, 1e3}) {
    INFO("a fall of " << h << " m");
    const auto system = system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n  - {{name: b, mass: 1, inertia: {{xx: {0}, yy: {0}, zz: {0}}}}}\njoints:\n"
        "  - {{name: j, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}}\nforces:\n"
        "  - {{name: stop, type: joint-limit, joint: j, lower: {1}, law: hard, restitution: 0.8}}\n",
        h * h, -h));
    const double fall = std::sqrt(2 * h / 9.81);
    // Half of the way up again, where the velocity is half of e √(2 g h).
    host::RunSettings settings = bounce_settings("dopri5", 1e-9, fall * (1 + 0.5 * 0.8));
    settings.absolute_tolerance = 1e-12 * h;
    settings.step = 1e-3 * fall;
    const Ended ended = run_to_end(*system, *formulations_for(*system).front(), settings);
    CHECK(ended.velocities[0].z == Approx(0.5 * 0.8 * std::sqrt(2 * 9.81 * h)).epsilon(1e-6));
    CHECK(ended.positions[0].z == Approx(-h + 0.75 * 0.64 * h).epsilon(1e-6));
  }
}

// The uppermost mass hits the others while they still bounce: the relative acceleration of masses in a stack is none in
// free fall, and bounces begin anew many times from next to nothing.
TEST_CASE("a stack of masses on hard stops comes to rest with any integrator") {
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "  - {name: b, mass: 0.3, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "  - {name: c, mass: 0.2, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: ja, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  - {name: jb, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  - {name: jc, type: prismatic, base: b, moving: c, position: [0, 0, 0], axis: [0, 0, 1]}\nforces:\n"
      "  - {name: la, type: joint-limit, joint: ja, lower: -0.4, law: hard, restitution: 0.5}\n"
      "  - {name: lb, type: joint-limit, joint: jb, lower: -0.1, law: hard, restitution: 0.7}\n"
      "  - {name: lc, type: joint-limit, joint: jc, lower: -0.1, law: hard, restitution: 0.3}\n");
  for (const char* const name : {"cvode-bdf", "cvode-adams", "dopri5", "radau5", "generalized-alpha"})
    for (const double tolerance : {1e-6, 1e-9}) {
      INFO(name << ", " << tolerance);
      const Ended ended =
          run_to_end(*system, *formulations_for(*system).front(), bounce_settings(name, tolerance, 1.5));
      CHECK(ended.record.end == host::End::done);
      CHECK(ended.record.warnings.empty());
      CHECK(std::abs(ended.positions[0].z + 0.4) < 1e-9);
      CHECK(std::abs(ended.positions[1].z + 0.5) < 1e-9);
      CHECK(std::abs(ended.positions[2].z + 0.6) < 1e-9);
    }
}

// Friction of 0.5 N takes the momentum of 2 N s in 4 s, as the first mass slides ahead all the time: their middle goes
// 2 m, and the second mass lies on the stop ahead of it by then.
TEST_CASE("a mass bounces to its rest on one that slides with friction") {
  for (const double restitution : {0.5, 0.3}) {
    const auto system = system_from_text(fmt::format(
        "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {{name: a, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n"
        "  - {{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\njoints:\n"
        "  - {{name: ja, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],\n"
        "     initial: {{velocity: 2}}}}\n"
        "  - {{name: rel, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [1, 0, 0],\n"
        "     initial: {{velocity: -2}}}}\nforces:\n"
        "  - {{name: lim, type: joint-limit, joint: rel, lower: -0.1, upper: 0.1, law: hard, restitution: {}}}\n"
        "  - {{name: rub, type: dry-friction, joint: ja, effort: 0.5}}\n",
        restitution));
    for (const char* const name : {"dop853", "rk4", "radau5"})
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << name << ", restitution " << restitution);
        const Ended ended = run_to_end(*system, *formulation, bounce_settings(name, 1e-9, 6));
        CHECK(ended.record.end == host::End::done);
        CHECK(ended.positions[0].x + ended.positions[1].x == Approx(4).epsilon(1e-8));
        CHECK(ended.positions[1].x - ended.positions[0].x == Approx(0.1).epsilon(1e-8));
        CHECK(ended.record.events < 200);
      }
  }
}

namespace {

class RowsOverLength final : public host::RowSink {
 public:
  explicit RowsOverLength(double length) : length_(length) {}
  void row(double, const Observation& now) override {
    for (const Observation::Body& body : now.bodies)
      for (const Vec3& v : {body.pose.position, body.velocity}) {
        const Vec3 part = (1 / length_) * v;
        numbers.insert(numbers.end(), {part.x, part.y, part.z});
      }
  }
  std::vector<double> numbers;

 private:
  double length_;
};

/// A ball that bounces and then rolls, a slider that sticks and slips under a force, and one that it pushes over a gap;
/// all lengths and gravity n times those in metres, masses as they are.
std::string touching_mechanism(double n) {
  const double g = 9.81 * n, J = n * n;
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, {0}]\n"
      "bodies:\n"
      "  - {{name: ball, mass: 0.2, position: [0, 0, {1}], inertia: {{xx: {2}, yy: {2}, zz: {2}}}, velocity: [{3}, 0, "
      "0], angular_velocity: [0, -4, 0], geometry: [{{type: sphere, radius: {4}}}]}}\n"
      "  - {{name: slider, mass: 1.5, inertia: {{xx: {5}, yy: {5}, zz: {5}}}}}\n"
      "joints:\n"
      "  - {{name: loose, type: planar, base: ground, moving: ball, position: [0, 0, {1}], axis: [0, 1, 0], "
      "axis2: [1, 0, 0]}}\n"
      "  - {{name: guide, type: prismatic, base: ground, moving: slider, position: [0, {6}, 0], axis: [1, 0, 0]}}\n"
      "ground: {{geometry: [{{type: plane, normal: [0, 0, 1], position: [0, 0, 0]}}]}}\n"
      "forces:\n"
      "  - {{name: floor, type: contact, a: ball, b: ground, law: rigid, restitution: 0.5, friction: {{static: 0.4, "
      "dynamic: 0.3}}}}\n"
      "  - {{name: rubs, type: dry-friction, joint: guide, effort: {7}}}\n"
      "  - {{name: stop, type: joint-limit, joint: guide, upper: {8}, law: hard, restitution: 0.4}}\n"
      "  - {{name: push, type: joint-force, joint: guide, effort: {{sine: {{amplitude: {9}, frequency: 1.3}}}}}}\n",
      -g, 0.35 * n, 0.4 * 0.2 * 0.01 * J, 0.7 * n, 0.1 * n, 0.05 * J, -0.5 * n, 3 * n, 0.12 * n, 9 * n);
}

}  // namespace

// The same numbers but for powers of two: nothing may be judged by a metre.
TEST_CASE("a mechanism in micrometres or kilometres touches, sticks and bounces as in metres") {
  std::vector<double> in_metres;
  std::vector<std::string> warnings;
  std::size_t events = 0;
  for (const double n : {1.0, 1.0 / (1 << 20), 1.0 * (1 << 20)}) {
    INFO("lengths times " << n);
    const auto system = system_from_text(touching_mechanism(n));
    const host::RunSettings settings = bounce_settings("rk4", 1e-9, 2);
    RowsOverLength rows(n);
    host::RowSink* const sinks[] = {&rows};
    const Formulation& formulation = *formulations_for(*system).front();
    const host::RunRecord record = host::simulate(*system, *solver_for(*system, formulation), settings, sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    if (in_metres.empty()) {
      in_metres = rows.numbers;
      warnings = record.warnings;
      events = record.events;
      CHECK(events > 10);
      continue;
    }
    CHECK(record.events == events);
    CHECK(record.warnings == warnings);
    REQUIRE(rows.numbers.size() == in_metres.size());
    double apart = 0;
    for (std::size_t i = 0; i < in_metres.size(); ++i)
      apart = std::max(apart, std::abs(rows.numbers[i] - in_metres[i]));
    CHECK(apart < 1e-7);
  }
}
