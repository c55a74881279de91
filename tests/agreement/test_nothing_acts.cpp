// Runs in which no force acts on what moves, or nothing that moves has inertia: no solver refuses them and no check
// finds them wrong, though what is left of an equation has next to nothing to be compared with.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double pi = std::numbers::pi;

class LastRow final : public host::RowSink {
 public:
  void row(double, const Observation& o) override { q.assign(o.q.begin(), o.q.end()); }
  std::vector<double> q;
};

/// Runs a model in all six formulations. All must come to the end without a warning, with this coordinate of a joint.
void require_run(const std::string& text, double duration, const std::string& joint, double expected) {
  const auto system = system_from_text("polyform: 1\n" + text);
  const auto name_of = [](const JointData& j) { return std::string(j.name); };
  const auto found = std::ranges::find(system->view().joints, joint, name_of);
  REQUIRE(found != system->view().joints.end());
  const std::vector<const Formulation*> formulations = formulations_for(*system);
  CHECK(formulations.size() >= 6);
  for (const Formulation* formulation : formulations) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    LastRow last;
    host::RowSink* sinks[] = {&last};
    host::RunSettings settings = run_settings("dopri5");
    settings.duration = duration;
    settings.output_interval = duration / 20;
    settings.relative_tolerance = 1e-8;
    settings.absolute_tolerance = 1e-10;
    const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
    INFO(record.failure);
    for (const std::string& warning : record.warnings) FAIL_CHECK(warning);
    REQUIRE(record.end == host::End::done);
    CHECK(last.q[(*found).q_offset] == Approx(expected).epsilon(1e-6).margin(1e-6));
  }
}

constexpr const char* no_inertia = "mass: 0, inertia: {xx: 0, yy: 0, zz: 0}";

std::string beside_a_driven_wheel(const std::string& module) {
  return fmt::format(R"(
bodies:
- {{name: a, {}}}
- {{name: b, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
- {{name: s, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}}
- {{name: r, type: revolute, base: ground, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}}
modules:
- {{name: m, joint: s, {}}}
constraints:
- {{name: pm, type: prescribed-motion, joint: r, motion: {{sine: {{amplitude: 0.3, frequency: 0.7}}}}}}
)",
                     no_inertia, module);
}

std::string linkage(const std::string& more) {
  return fmt::format(R"(
gravity: [0, 0, 0]
bodies:
- {{name: crank, {0}}}
- {{name: rod, {0}, position: [0.6, 0.8, 0]}}
- {{name: s, mass: 1, position: [2.2, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
- {{name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: -0.5}}}}
- {{name: B, type: revolute, base: crank, moving: rod, position: [0.6, 0.8, 0], axis: [0, 0, 1]}}
- {{name: D, type: prismatic, base: ground, moving: s, position: [2.2, 0, 0], axis: [1, 0, 0]}}
- {{name: C, type: revolute, base: rod, moving: s, position: [2, 0, 0], axis: [0, 0, 1]}}
{1})",
                     no_inertia, more);
}

/// The slider's speed where the crank turns by −0.5 rad/s: its pin at (0.6, 0.8) moves by (0.4, −0.3), the rod lies
/// along (1.4, −0.8).
constexpr double slider_speed = 0.4 + 0.8 / 1.4 * 0.3;

}  // namespace

TEST_CASE("a shaft without mass keeps its motor while a correction is due elsewhere") {
  // ω̇ = (c i − 0)/J, L di/dt = U − R i − c ω: what the motor does without the wheel is what it does beside it.
  const std::string law = "type: acceleration-law, acceleration: 0.5";
  require_run(beside_a_driven_wheel(law), 0.4, "s", 0.5 * 0.5 * 0.16);
  const std::string motor =
      "type: dc-motor, voltage: 3, resistance: 1, inductance: 0.1, torque_constant: 0.1, rotor_inertia: 0.02";
  // s² + (R/L) s + c²/(J L) = 0 of ω about the speed U/c without load; ω = 0 and ω̇ = 0 at the start.
  const double fast = -5 - std::sqrt(25 - 5.0), slow = -5 + std::sqrt(25 - 5.0), idle = 30;
  const double of_slow = -idle * fast / (fast - slow), of_fast = idle * slow / (fast - slow), t = 0.4;
  const double angle = idle * t + of_slow * std::expm1(slow * t) / slow + of_fast * std::expm1(fast * t) / fast;
  require_run(beside_a_driven_wheel(motor), t, "s", angle);
}

TEST_CASE("a driven link without mass and without load runs in every formulation") {
  const std::string link = fmt::format(R"(
gravity: [0, 0, 0]
bodies: [{{name: b, {}}}]
joints: [{{name: j, type: revolute, base: ground, moving: b, position: [0.73, 0.33, 0], axis: [0, 0, 1]}}]
constraints: [{{name: c, type: prescribed-motion, joint: j, motion: {{sine: {{amplitude: 0.3, frequency: 0.7}}}}}}]
)",
                                       no_inertia);
  require_run(link, 0.4, "j", 0.3 * std::sin(2 * pi * 0.7 * 0.4));
}

TEST_CASE("a load on a driven link without mass is carried by the drive alone") {
  for (const char* load : {"type: joint-force, effort: 2", "type: joint-spring-damper, stiffness: 0, damping: 0.4"}) {
    INFO(load);
    const std::string link = fmt::format(R"(
gravity: [0, 0, 0]
bodies: [{{name: b, {}}}]
joints: [{{name: j, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0.1, 1, 0.3]}}]
forces: [{{name: f, joint: j, {}}}]
constraints: [{{name: c, type: prescribed-motion, joint: j, motion: {{sine: {{amplitude: 0.5, frequency: 1.1}}}}}}]
)",
                                         no_inertia, load);
    require_run(link, 0.4, "j", 0.5 * std::sin(2 * pi * 1.1 * 0.4));
  }
}

TEST_CASE("a slider that a link without mass follows keeps its speed") {
  // x = 0.3 q + 0.1 q² with ẋ = 0.15 for ever.
  const std::string coupled = fmt::format(R"(
gravity: [0, 0, 0]
bodies:
- {{name: w, {}}}
- {{name: s, mass: 1, position: [1, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
- {{name: q, type: revolute, base: ground, moving: w, position: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: 0.5}}}}
- {{name: x, type: prismatic, base: ground, moving: s, position: [1, 0, 0], axis: [0.6, 0.8, 0]}}
constraints: [{{name: c, type: joint-coupling, joint: x, other_joint: q, coefficients: [0, 0.3, 0.1]}}]
)",
                                          no_inertia);
  require_run(coupled, 2, "q", (std::sqrt(0.09 + 0.4 * 0.3) - 0.3) / 0.2);
}

TEST_CASE("a slider on links without mass keeps its speed, and swings on a spring as without them") {
  require_run(linkage(""), 0.6, "D", 0.6 * slider_speed);
  const double w = std::sqrt(3.0);
  require_run(linkage("forces: [{name: k, type: joint-spring-damper, joint: D, stiffness: 3, damping: 0}]\n"), 0.6, "D",
              slider_speed / w * std::sin(0.6 * w));
}

TEST_CASE("what does not accelerate at the start is not in doubt for that") {
  const std::string still = fmt::format(R"(
gravity: [0, 0, 0]
bodies:
- {{name: b0, mass: 0.79, inertia: {{xx: 0.1, yy: 0.12, zz: 0.15}}}}
- {{name: b1, {}}}
- {{name: b2, mass: 1.93, inertia: {{xx: 0.1, yy: 0.12, zz: 0.15}}}}
joints:
- {{name: j0, type: prismatic, base: ground, moving: b0, position: [-0.17, -0.12, 0], axis: [0, 0, 1]}}
- {{name: j1, type: revolute, base: ground, moving: b1, position: [-0.69, -0.96, 0], axis: [0, 0, 1], initial: {{velocity: 1.3194689145}}}}
- {{name: j2, type: revolute, base: b1, moving: b2, position: [0.1, 0.66, 0], axis: [0, 0, 1], initial: {{velocity: 0}}}}
constraints: [{{name: c1, type: prescribed-motion, joint: j1, motion: {{sine: {{amplitude: 0.3, frequency: 0.7}}}}}}]
modules: [{{name: m0, type: geared-shaft, joint: j0, other_joint: j1, ratio: 1, other_ratio: 1.5, inertia: 0.05}}]
)",
                                        no_inertia);
  require_run(still, 0.3, "j1", 0.3 * std::sin(2 * pi * 0.7 * 0.3));
}

// Two links without mass carry a slider of 1 kg past the ground and pass their own singular positions; they feel
// nothing.
TEST_CASE("links without mass go through regular positions in which they carry next to nothing") {
  require_run(fmt::format(R"(
gravity: [0, 0, 0]
bodies:
- {{name: upper, {0}}}
- {{name: lower, position: [-0.4816237581219149, -0.8763780894183305, 0], {0}}}
- {{name: s, mass: 1, position: [-1.0, 0.65, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
- {{name: A, type: revolute, base: ground, moving: upper, position: [0, 0, 0], axis: [0, 0, 1]}}
- {{name: B, type: revolute, base: upper, moving: lower, position: [-0.4816237581219149, -0.8763780894183305, 0],
   axis: [0, 0, 1]}}
- {{name: D, type: prismatic, base: ground, moving: s, position: [-1.0, 0.65, 0], axis: [1, 0, 0],
   initial: {{velocity: 0.5}}}}
- {{name: C, type: revolute, base: lower, moving: s, position: [-1.0, 0.65, 0], axis: [0, 0, 1]}}
forces:
- {{name: f, type: point-force, body: s, force: [1.0e-6, 0, 0]}}
)",
                          no_inertia),
              4, "D", 2 + 0.5e-6 * 16);
}

TEST_CASE("a structure of bodies without mass that stands still goes on") {
  require_run(fmt::format(R"(
gravity: [0, 0, 0]
bodies:
- {{name: b0, {0}}}
- {{name: b1, mass: 0.93, inertia: {{xx: 0.1, yy: 0.12, zz: 0.15}}}}
- {{name: b3, {0}}}
- {{name: b4, position: [-0.05, 0.24, 0], {0}}}
joints:
- {{name: j0, type: prismatic, base: ground, moving: b0, position: [-0.04, 1.11, 0], axis: [-0.91, -0.15, 0]}}
- {{name: j1, type: prismatic, base: ground, moving: b1, position: [0.22, 0.44, 0], axis: [0.96, -0.26, 0]}}
- {{name: j3, type: revolute, base: b1, moving: b3, position: [0.28, 0.33, 0], axis: [0, 0, 1]}}
- {{name: j4, type: revolute, base: b3, moving: b4, position: [0.08, 0.25, 0], axis: [0, 0, 1]}}
- {{name: l1, type: revolute, base: b4, moving: b1, position: [0.75, -0.77, 0], axis: [0, 0, 1]}}
- {{name: l2, type: revolute, base: b4, moving: b0, position: [-0.85, -0.38, 0], axis: [0, 0, 1]}}
)",
                          no_inertia),
              0.5, "j1", 0);
}
