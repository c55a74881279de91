// Verdicts of stability by energies: the same as those by eigenvalues, and values of closed forms.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "framework/workbench/linearization/energy_verdict.hpp"
#include "framework/workbench/linearization/stability_verdict.hpp"
#include "tests/linearization/judged.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::Equilibrium rest(const host::System& system) {
  return host::find_equilibrium(system, maker(*formulations_for(system).front()), {});
}

std::optional<host::Stability> by_energy(const host::System& system) {
  return host::judge_by_energy(system, maker(*formulations_for(system).front()), rest(system));
}

host::Stability by_eigenvalues(const host::System& system) {
  host::StabilityRequest request;
  request.holds_inputs = true;
  return judged(system, *formulations_for(system).front(), rest(system).point, request).stability;
}

/// A chain of rods from the origin downwards, the first on a pin or ball, with the same law in each joint. weight:
/// along the chain, m/s². forces: further ones.
std::unique_ptr<host::System> chain(int count, double weight, const std::string& joint, const std::string& law,
                                    const std::string& forces = "") {
  std::string laws;
  for (int k = 0; k < count && !law.empty(); ++k)
    laws += fmt::format("\n  - {{name: law{}, joint: \"rod[{}].joint\", {}}}", k, k, law);
  return system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, {}]
chains:
  - {{name: rod, count: {}, base: ground, start: [0, 0, 0], step: [0, 0, -0.5], joint: {},
     body: {{mass: 1, center_of_mass: [0, 0, -0.25], inertia: {{xx: 0.02, yy: 0.03, zz: 0.01}}}}}}
forces: {}{}{}
)",
                                      -weight, count, joint, laws.empty() && forces.empty() ? "[]" : "", laws, forces));
}

const std::string pin = "{type: revolute, axis: [0, 1, 0]}",
                  damped = "type: joint-spring-damper, stiffness: 3, damping: 0.2";

/// The growth that a text tells, 1/s.
double growth_in(const std::string& text) {
  const std::string begin = "unstable: a disturbance doubles in ";
  REQUIRE(text.starts_with(begin));
  return std::log(2) / std::strtod(text.c_str() + begin.size(), nullptr);
}

}  // namespace

TEST_CASE("a pendulum on a spring is judged by its energy as its closed form says") {
  // Inertia about the pin 0.03 + 0.25², weight 9.81 N at 0.25 m.
  const double inertia = 0.03 + 0.0625, weight = 9.81 * 0.25;
  const auto hanging = chain(1, 9.81, pin, ""), held = chain(1, -9.81, pin, damped);
  CHECK(by_energy(*hanging)->verdict == host::Outlook::neutral);
  CHECK(by_energy(*hanging)->text == host::undamped_text);
  CHECK(by_energy(*held)->verdict == host::Outlook::stable);
  for (const double damping : {0.0, 0.4}) {
    const auto falling =
        chain(1, -9.81, pin, fmt::format("type: joint-spring-damper, stiffness: 1, damping: {}", damping));
    const double expected = (-damping + std::sqrt(damping * damping + 4 * inertia * (weight - 1))) / (2 * inertia);
    CHECK(growth_in(by_energy(*falling)->text) == Approx(expected).epsilon(2e-4));
  }
}

TEST_CASE("verdicts by energies are those by eigenvalues") {
  const auto is_same = [](const host::System& system) {
    const std::optional<host::Stability> energy = by_energy(system);
    const host::Stability modes = by_eigenvalues(system);
    INFO(modes.text);
    REQUIRE(energy);
    CHECK(energy->verdict == modes.verdict);
    if (modes.verdict == host::Outlook::unstable)
      CHECK(growth_in(energy->text) == Approx(growth_in(modes.text)).epsilon(2e-3));
  };
  const std::string stiff = "type: joint-spring-damper, stiffness: 100, damping: 0";
  for (const double weight : {9.81, -9.81})
    for (const std::string& law : {std::string(), damped, stiff}) {
      INFO(weight << ", " << law);
      is_same(*chain(5, weight, pin, law));
    }
  // In space, with forces between neighbours and from the ground: the springs pull, so that their forces turn too.
  const std::string springs = R"(
  - {name: near, type: spring-damper, a: {body: "rod[1]", point: [0.1, 0.2, 0]},
     b: {body: "rod[2]", point: [0, 0.2, -0.3]},
     stiffness: 40, free_length: 0.3, damping: 2}
  - {name: low, type: spring-damper, a: {body: ground, point: [0, 0.3, -3]}, b: {body: "rod[2]", point: [0, 0.1, -0.5]},
     stiffness: 20, free_length: 1, damping: 1}
  - {name: side, type: spring-damper, a: {body: ground, point: [0.4, 0, -1]},
     b: {body: "rod[0]", point: [0.1, 0, -0.5]},
     stiffness: 30, free_length: 0.2, damping: 1}
  - {name: foot, type: bushing, a: {body: ground}, b: {body: "rod[0]", point: [0, 0, 0]},
     stiffness: [0, 0, 0, 0, 0, 0], damping: [0, 0, 0, 0.1, 0.2, 0.3]}
  - {name: post, type: bushing, a: {body: "rod[0]", point: [0, 0, -0.5]}, b: {body: "rod[1]", point: [0, 0, 0]},
     stiffness: [0, 0, 0, 0, 0, 0], damping: [0, 0, 0, 0.1, 0.2, 0.3]}
  - {name: top, type: bushing, a: {body: "rod[1]", point: [0, 0, -0.5]}, b: {body: "rod[2]", point: [0, 0, 0]},
     stiffness: [0, 0, 0, 0, 0, 0], damping: [0, 0, 0, 0.1, 0.2, 0.3]}
)";
  for (const double weight : {9.81, -9.81}) {
    INFO("in space, " << weight);
    is_same(*chain(3, weight, "{type: spherical}", "", springs));
  }
}

TEST_CASE("where energies do not decide, they give no verdict") {
  const std::string held = R"(
  - {name: end, type: point-force, body: "rod[1]", point: [0, 0, -0.5], axes: body, force: [0, 0, 3]})";
  const auto follower = chain(2, 0, pin, damped, held);  // its force turns with the rod: it has no energy
  CHECK(!by_energy(*follower));
  const auto partly = chain(2, 9.81, pin, "", R"(
  - {name: brake, type: joint-spring-damper, joint: "rod[0].joint", stiffness: 1, damping: 0.1})");
  CHECK(!by_energy(*partly));  // the second joint is damped by the first alone
  const auto apart = chain(3, 9.81, pin, damped, R"(
  - {name: far, type: spring-damper, a: {body: "rod[0]"}, b: {body: "rod[2]"},
     stiffness: 5, free_length: 0.5, damping: 0})");
  CHECK(!by_energy(*apart));
  const auto free = chain(2, 0, pin, "");
  CHECK(!by_energy(*free));  // nothing restores it, and nothing drives it away
  const auto kinked = system_from_text(R"M(
polyform: 1
gravity: [0, 0, -9.81]
bodies: [{name: rod, mass: 1, center_of_mass: [0, 0, -0.25], inertia: {xx: 0.02, yy: 0.03, zz: 0.01}}]
joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}]
forces:
  - {name: side, type: joint-force, joint: pin, effort: {expression: "-4*min(0, q(pin)) - 3*q(pin) - 0.2*v(pin)"}}
)M");
  CHECK(!by_energy(*kinked));
}

TEST_CASE("a force with a kink in the difference of any two coordinates gives no verdict by energies") {
  // The last slide moves against the first one: the place of its body is the difference of both, whatever lies between.
  const auto with = [](std::size_t between, const std::string& force) {
    std::string bodies, joints, forces, base = "ground";
    for (std::size_t k = 0; k < between + 2; ++k) {
      const std::string axis = k == 0 ? "1, 0, 0" : k == between + 1 ? "-1, 0, 0" : k % 2 == 0 ? "0, 1, 0" : "0, 0, 1";
      bodies += fmt::format("\n  - {{name: b{}, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}", k);
      joints += fmt::format(
          "\n  - {{name: j{0}, type: prismatic, base: {1}, moving: b{0}, position: [0, 0, 0], axis: [{2}]}}", k, base,
          axis);
      forces +=
          fmt::format("\n  - {{name: s{0}, type: joint-spring-damper, joint: j{0}, stiffness: 4, damping: 1}}", k);
      base = fmt::format("b{}", k);
    }
    return system_from_text("polyform: 1\ngravity: [0, 0, 0]\nbodies:" + bodies + "\njoints:" + joints +
                            "\nforces:" + forces + "\n  - {name: f, type: point-force, body: " + base +
                            ", force: [{expression: \"" + force + "\"}, 0, 0]}\n");
  };
  for (std::size_t between = 0; between < 9; ++between) {
    INFO(between << " coordinates between the two");
    const std::string place = fmt::format("x(b{})", between + 1), speed = fmt::format("vx(b{})", between + 1);
    const auto smooth = by_energy(*with(between, "-" + place + "-" + speed));
    REQUIRE(smooth);
    CHECK(smooth->verdict == host::Outlook::stable);
    CHECK(!by_energy(*with(between, "-min(0, " + place + ")")));
    CHECK(!by_energy(*with(between, "-min(0, " + speed + ")")));
  }
}

// The soft motion of two slides, both at once, depends on the kink alone: to one side it is driven away. Beside the
// spring between them the kink is a part of 4e-7 to 4e-3.
TEST_CASE("a kink that decides on a soft motion is seen beside a stiff spring") {
  const auto slides = [](double stiffness, const std::string& force) {
    return system_from_text(fmt::format(R"M(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
  - {{name: b, position: [1, 0, 0], mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: ja, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0]}}
  - {{name: jb, type: prismatic, base: a, moving: b, position: [1, 0, 0], axis: [1, 0, 0]}}
forces:
  - {{name: da, type: joint-spring-damper, joint: ja, stiffness: 0, damping: 1}}
  - {{name: db, type: joint-spring-damper, joint: jb, stiffness: {}, damping: 1}}
  - {{name: e, type: point-force, body: b, force: [{{expression: "{}"}}, 0, 0]}}
)M",
                                        stiffness, force));
  };
  for (const double stiffness : {1e3, 1e4, 1e5, 1e6, 1e7}) {
    INFO(stiffness << " N/m");
    const auto smooth = slides(stiffness, "-2*(x(b)-1)");
    CHECK(by_eigenvalues(*smooth).verdict == host::Outlook::stable);
    for (const char* const kinked : {"1.5*max(0,x(b)-1)-2.5*min(0,x(b)-1)", "1.5*min(0,x(b)-1)-2.5*max(0,x(b)-1)"}) {
      INFO(kinked);
      const auto system = slides(stiffness, kinked);
      CHECK(by_eigenvalues(*system).verdict == host::Outlook::none);
      CHECK(!by_energy(*system));
    }
  }
}

TEST_CASE("a force without an energy gives no verdict by energies, whatever place its body has in the model") {
  constexpr int count = 14;
  const auto with = [&](int at, const std::string& x, const std::string& y) {
    std::string bodies, joints, forces;
    for (int k = 0; k < count; ++k) {
      bodies += fmt::format(
          "\n  - {{name: b{}, mass: 1, position: [{}, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}", k, k);
      joints += fmt::format(
          "\n  - {{name: j{}, type: planar, base: ground, moving: b{}, position: [{}, 0, 0], axis: [0, 0, 1]}}", k, k,
          k);
      forces += k != at ? fmt::format(
                              "\n  - {{name: s{}, type: joint-spring-damper, joint: j{}, stiffness: [4, 4, 3], "
                              "damping: [0.2, 0.2, 0.2]}}",
                              k, k)
                        : fmt::format(
                              "\n  - {{name: s{}, type: joint-spring-damper, joint: j{}, stiffness: [0, 0, 3], "
                              "damping: [0, 0, 0.2]}}\n"
                              "  - {{name: f, type: point-force, body: b{}, force: [{{expression: \"{}\"}}, "
                              "{{expression: \"{}\"}}, 0]}}",
                              k, k, k, x, y);
    }
    return system_from_text("polyform: 1\ngravity: [0, 0, 0]\nbodies:" + bodies + "\njoints:" + joints +
                            "\nforces:" + forces + "\n");
  };
  for (int at = 0; at < count; ++at) {
    INFO("body " << at);
    const std::string from = fmt::format("(x(b{}) - {})", at, at);
    // Oil whirl: the cross stiffness 2 N/m beats the damping 0.2 N s/m at 2 rad/s, 2 > 0.2 · 2.
    CHECK(!by_energy(*with(at, fmt::format("-4*{}+2*y(b{})-0.2*vx(b{})", from, at, at),
                           fmt::format("-4*y(b{})-2*{}-0.2*vy(b{})", at, from, at))));
    // A hill on which gyroscopic forces hold a body: 4² > 4 · 1.
    CHECK(!by_energy(*with(at, fmt::format("{}+4*vy(b{})", from, at), fmt::format("y(b{})-4*vx(b{})", at, at))));
  }
}
