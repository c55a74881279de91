// Verdicts where nothing repeats, where next to nothing restores, and where nothing moves.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/workbench/linearization/stability_verdict.hpp"
#include "tests/linearization/judged.hpp"

using namespace polyform;
using namespace polyform::test;
using host::Outlook;

namespace {

const host::ModeQuestions no_answers{[](const host::Mode&) { return false; }, [] { return false; }};

/// A rod that stands on a pin with a spring, whose stiffness is this share of what holds it.
std::unique_ptr<host::System> propped_rod(double share) {
  return system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: rod, mass: 2, center_of_mass: [0, 0, 0.5], inertia: {{xx: 0.2, yy: 0.2, zz: 0.01}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}}
forces:
  - {{name: spring, type: joint-spring-damper, joint: pin, stiffness: {:.17g}}}
)",
                                      9.81 * share));
}

}  // namespace

TEST_CASE("motions that are neither steady nor periodic have no verdict") {
  const auto falls = system_from_file(std::string(POLYFORM_MODELS) + "/double_pendulum.yaml");
  for (const Judged& j : judge_all(*falls)) {
    INFO(j.formulation->name());
    CHECK(j.stability.verdict == Outlook::none);
    CHECK_THAT(j.stability.text, Catch::StartsWith("no verdict: "));
    CHECK(j.stability.modes_of == host::ModesOf::instant);
  }
  // At rest now, but a force grows.
  const auto pushed = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: rod, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.2, yy: 0.2, zz: 0.01}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}
forces:
  - {name: motor, type: joint-force, joint: pin, effort: {ramp: {rate: 1, start: 0, end: 30}}}
)");
  for (const Judged& j : judge_all(*pushed)) CHECK(j.stability.verdict == Outlook::none);
}

TEST_CASE("what grows slowly is unstable, what nothing restores is neutral") {
  const double inertia = 0.2 + 2 * 0.25;
  const auto slow = propped_rod(1 - 1e-8), held = propped_rod(1 + 1e-8), free = propped_rod(1);
  for (const Judged& j : judge_all(*slow)) {
    INFO(j.formulation->name() << ": " << j.stability.text);
    CHECK(j.stability.verdict == Outlook::unstable);
    CHECK(distance_to(j.stability.modes, std::sqrt(9.81e-8 / inertia)) < 1e-9);
  }
  for (const Judged& j : judge_all(*held)) CHECK(j.stability.verdict == Outlook::neutral);
  for (const Judged& j : judge_all(*free)) {
    CHECK(j.stability.verdict == Outlook::neutral);
    CHECK(j.stability.modes.zero_eigenvalues == 2);
  }
}

TEST_CASE("what is locked cannot be unstable") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: a, mass: 1, center_of_mass: [0.2, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, position: [1, 0, 0], mass: 2, inertia: {xx: 0.2, yy: 0.2, zz: 0.3}}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: jb, type: revolute, base: ground, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: h, type: geared-shaft, joint: jb, other_joint: ja, ratio: -3, other_ratio: 2.5, inertia: 0.05}
  - {name: g, type: geared-shaft, joint: ja, other_joint: jb, ratio: 2, other_ratio: -3, inertia: 0.05}
)");
  for (const Judged& j : judge_all(*system)) {
    CHECK(j.stability.modes.all.empty());
    CHECK(j.stability.verdict == Outlook::stable);
  }
}

// With dry friction or a cube root A has no value at rest; drag by the square of the speed has one, zero.
TEST_CASE("a law that jumps or has a vertical slope at the point has no verdict") {
  const auto slide = [](const std::string& effort) {
    return system_from_text(
        "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
        "  - {name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}\nforces:\n"
        "  - {name: push, type: joint-force, joint: s, effort: {expression: \"" +
        effort + "\"}}\n");
  };
  for (const char* const effort : {"-q(s)-0.1*sign(v(s))", "-cbrt(q(s))-v(s)", "-q(s)-v(s)-0.3*step(q(s))*2+0.3"}) {
    INFO(effort);
    const auto system = slide(effort);
    for (const Judged& j : judge_all(*system)) {
      CHECK(j.stability.verdict == Outlook::none);
      CHECK(j.stability.text.find("no verdict: a law jumps") == 0);
    }
  }
  const auto drag = slide("-q(s)-v(s)-abs(v(s))*v(s)");
  for (const Judged& j : judge_all(*drag)) CHECK(j.stability.verdict == Outlook::stable);
}

// It falls as if the slide were fixed: w^2 = m g l / (I + m l^2) = 9.81 / 1.01.
TEST_CASE("an inverted pendulum is unstable beside a spring of any stiffness") {
  for (const double stiffness : {1e6, 1e12}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: slide, mass: 0.1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
  - {{name: rod, mass: 1, center_of_mass: [0, 1, 0], inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
joints:
  - {{name: guide, type: prismatic, base: ground, moving: slide, position: [0, 0, 0], axis: [1, 0, 0]}}
  - {{name: pin, type: revolute, base: slide, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: spring, type: joint-spring-damper, joint: guide, stiffness: {}}}
)",
                                                     stiffness));
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << stiffness << " N/m: " << j.stability.text);
      CHECK(j.stability.verdict == Outlook::unstable);
      CHECK(distance_to(j.stability.modes, std::sqrt(9.81 / 1.01)) < 1e-4);
    }
  }
}

// A clamped rod of hinges with springs and dampers, without gravity: it sways at some rad/s beside hinges of 1e6 rad/s.
// The first frequency is that of a clamped beam of pieces, 1.8751^2 sqrt(EI) with EI = 10, less what the discrete
// hinges add; it is the same to 1e-4 from 100 hinges on, and so is its damping by 1e-3 s.
TEST_CASE("a sway beside hundreds of stiff hinges is found and judged where the solver has Newton's matrix") {
  const auto rod = [](int hinges) {
    const double l = 1.0 / hinges;
    std::string bodies, joints, forces;
    for (int k = 0; k < hinges; ++k) {
      bodies += fmt::format(
          "  - {{name: b{0}, position: [{1}, 0, 0], mass: {2}, center_of_mass: [{3}, 0, 0], inertia: {{xx: {4}, yy: {4}, zz: {4}}}}}\n",
          k, k * l, l, 0.5 * l, l * l * l / 12);
      joints += fmt::format(
          "  - {{name: j{0}, type: revolute, base: {1}, moving: b{0}, position: [{2}, 0, 0], axis: [0, 1, 0]}}\n", k,
          k == 0 ? "ground" : fmt::format("b{}", k - 1), k * l);
      forces +=
          fmt::format("  - {{name: f{0}, type: joint-spring-damper, joint: j{0}, stiffness: {1}, damping: {2}}}\n", k,
                      10 * hinges, 0.01 * hinges);
    }
    return system_from_text("polyform: 1\ngravity: [0, 0, 0]\nbodies:\n" + bodies + "joints:\n" + joints + "forces:\n" +
                            forces);
  };
  const Formulation& riccati = *registry().catalog().formulations.at("riccati");
  const auto few = rod(30), many = rod(250);
  CHECK(judged(*few, riccati, initial_point(*few)).stability.verdict == Outlook::stable);
  const host::Stability found = judged(*many, riccati, initial_point(*many)).stability;
  INFO(found.text);
  CHECK(found.verdict == Outlook::stable);
  const host::Mode& sway = found.modes.all.front();
  const double w = sway.natural_frequency();
  CHECK(w == Approx(1.8751041 * 1.8751041 * std::sqrt(10.0)).epsilon(5e-3));
  CHECK(sway.eigenvalue.real() == Approx(-0.5e-3 * w * w).epsilon(1e-8));
  CHECK(sway.error < 1e-8);
  // A alone has lost it.
  const LinearCase frozen = linearize_at(*many, riccati, initial_point(*many), {"none"}, {"none"});
  CHECK(frozen.linear.evaluations < 9 * frozen.linear.states.size());
  host::Stability lost;
  lost.modes = host::find_modes(frozen.linear.A.value, frozen.linear.A.error, frozen.linear.scales);
  host::judge_modes(frozen.linear, no_answers, lost);
  CHECK(lost.verdict == Outlook::none);
}

// Stiffnesses k [1+e -1; -1 1] of two slides of 1 kg, by formulas: w^2 = k e/2 and 2 k.
TEST_CASE("a slow oscillation beside a fast one keeps the digits of both") {
  for (const double k : {1e6, 1e9}) {
    const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: p, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: q, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: f, type: joint-force, joint: p, effort: {{expression: "{0}*q(q)-({0}+0.01)*q(p)"}}}}
  - {{name: g, type: joint-force, joint: q, effort: {{expression: "{0}*(q(p)-q(q))"}}}}
)YAML",
                                                     k));
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << k << " N/m: " << j.stability.text);
      CHECK(j.stability.verdict == Outlook::neutral);
      const host::Mode& fast = j.stability.modes.all.back();
      CHECK(fast.natural_frequency() == Approx(std::sqrt(2 * k)).epsilon(1e-8));
      CHECK(fast.error < 1e-9 * std::sqrt(k));
      CHECK(j.stability.modes.all.front().natural_frequency() == Approx(std::sqrt(0.005)).epsilon(1e-3));
    }
  }
}

TEST_CASE("a free body that tumbles has no verdict, however slowly it does") {
  for (const double rate : {0.7, 7e-5}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies: [{{name: body, mass: 10, inertia: {{xx: 1, yy: 2, zz: 2.6}}}}]
joints: [{{name: flight, type: free, base: ground, moving: body, initial: {{velocity: [0, 0, 0, {0}, {0}, {0}]}}}}]
)",
                                                     rate));
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << rate << " rad/s: " << j.stability.text);
      CHECK(j.stability.verdict == Outlook::none);
    }
  }
}

TEST_CASE("an even speed changes no verdict") {
  for (const double speed : {0.0, 7500.0}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: base, mass: 10, inertia: {{xx: 10, yy: 10, zz: 10}}}}
  - {{name: arm, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: fly, type: prismatic, base: ground, moving: base, position: [0, 0, 0], axis: [1, 0, 0],
     initial: {{velocity: {}}}}}
  - {{name: hinge, type: revolute, base: base, moving: arm, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {{position: 0.5}}}}
forces:
  - {{name: motor, type: joint-force, joint: hinge, effort: {{expression: 0.3*sin(2*q(hinge))}}}}
)",
                                                     speed));
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << speed << " m/s: " << j.stability.text);
      CHECK(j.stability.verdict == Outlook::none);
    }
  }
}

// Librations of a satellite with its long axis along the orbit: w^2 = -3 n^2 (Iy - Ix) / Iz (Hughes, Spacecraft
// Attitude Dynamics, 1986).
TEST_CASE("a satellite with its long axis along a geostationary orbit is unstable") {
  const double mu = 3.986004418e14, r = 4.2164e7, n = std::sqrt(mu / (r * r * r));
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies: [{{name: sat, position: [{1}, 0, 0], mass: 1000, inertia: {{xx: 100, yy: 1000, zz: 1000}}}}]
joints:
  - {{name: orbit, type: planar, base: ground, moving: sat, position: [{1}, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0],
     initial: {{position: [0, 0, {2:.17g}], velocity: [0, {3:.17g}, {4:.17g}]}}}}
forces: [{{name: earth, type: central-gravity, body: sat, center: {{body: ground}}, parameter: {0}}}]
simulation: {{duration: 86400}}
)",
                                                   mu, r, M_PI / 2, n * r, n));
  for (const Judged& j : judge_all(*system)) {
    INFO(j.formulation->name() << ": " << j.stability.text);
    CHECK(j.stability.verdict == Outlook::unstable);
    CHECK(distance_to(j.stability.modes, n * std::sqrt(3 * 0.9)) < 1e-4 * n);
  }
}

// Growth by e takes the inverse of its rate. Of a millionth of the slowest oscillation and 1e-6 1/s the smaller counts.
TEST_CASE("growth that undamped oscillations may hide is told where it could show") {
  struct Told {
    double frequency, error;  // rad/s; the error of an eigenvalue, which counts ten times
    bool told;
  };
  for (const Told& one : {Told{50, 2e-7, true}, Told{50, 0.9e-7, false}, Told{1e-3, 2e-10, true},
                          Told{1e-3, 0.9e-10, false}, Told{5000, 0, true}, Told{500, 0, false}}) {
    INFO(one.frequency << " rad/s, error " << one.error);
    host::Linearization linear;
    host::Stability found;
    for (const double sign : {1.0, -1.0}) {
      host::Mode mode;
      mode.kind = host::Mode::Kind::oscillating;
      mode.eigenvalue = {0, sign * one.frequency};
      mode.error = one.error;
      found.modes.all.push_back(mode);
    }
    host::judge_modes(linear, no_answers, found);
    CHECK(found.verdict == Outlook::neutral);
    CHECK_THAT(found.text, Catch::StartsWith("neutral: some oscillations are not damped"));
    CHECK((found.text.find("(to within ") != std::string::npos) == one.told);
  }
}

// Two oscillators of 1 and 2 rad/s, tied to each other; the second one is damped, the first one by ζ = c/2, which is
// known to 1e-9. A tie of 1e-4 damps the first one by some 1e-10.
TEST_CASE("growth and decay beyond their errors are told, and what is less is not called neutral beside dampers") {
  struct Told {
    double damping, tie;
    Outlook verdict;
  };
  for (const Told& one :
       {Told{3e-9, 1e-4, Outlook::stable}, Told{-3e-9, 1e-4, Outlook::unstable}, Told{0.5e-9, 1e-4, Outlook::none},
        Told{-0.5e-9, 1e-4, Outlook::none}, Told{0.5e-9, 0, Outlook::neutral}}) {
    host::Linearization linear;
    linear.states.resize(4);
    linear.scales.assign(4, 1.0);
    linear.A = {Eigen::MatrixXd::Zero(4, 4), Eigen::MatrixXd::Zero(4, 4)};
    linear.A.value << 0, 0, 1, 0, 0, 0, 0, 1, -1, one.tie, -one.damping, 0, one.tie, -4, 0, -0.1;
    linear.A.error(2, 2) = 1e-9;
    host::Stability found;
    found.modes = host::find_modes(linear.A.value, linear.A.error, linear.scales);
    host::judge_modes(linear, no_answers, found);
    INFO(one.damping << ", " << one.tie << ": " << found.text);
    CHECK(found.verdict == one.verdict);
    CHECK((found.text.find("cannot be told") != std::string::npos) == (one.verdict == Outlook::none));
  }
}

// x'' = -[1 e; -e 1] x grows by e/2 1/s; with [1 e; e 4] nothing grows. The entries are known to more than e.
TEST_CASE("oscillations that meet within their errors are neutral only if energy is conserved") {
  constexpr double e = 1e-10;
  for (const bool meet : {true, false})
    for (const bool conserves : {true, false}) {
      host::Linearization linear;
      linear.states.resize(4);
      linear.positions = linear.velocities = 2;
      linear.scales.assign(4, 1.0);
      linear.A = {Eigen::MatrixXd::Zero(4, 4), Eigen::MatrixXd::Zero(4, 4)};
      linear.A.value << 0, 0, 1, 0, 0, 0, 0, 1, -1, -e, 0, 0, meet ? e : -e, meet ? -1 : -4, 0, 0;
      linear.A.error(2, 0) = linear.A.error(3, 1) = 1e-9;
      host::Stability found;
      found.modes = host::find_modes(linear.A.value, linear.A.error, linear.scales);
      host::judge_modes(linear, {no_answers.drifts, [&] { return conserves; }}, found);
      INFO(meet << ", " << conserves << ": " << found.text);
      CHECK(found.verdict == (meet && !conserves ? Outlook::none : Outlook::neutral));
    }
}

// Two slides with the dampers [1 -1; -1 1] and the springs [2 -1; -1 2]: what moves both alike is not damped. Of three
// in a row with a damper on the middle one, what moves the outer ones against each other is not.
TEST_CASE("a mode that feels no damper is neutral") {
  const auto undamped = system_from_text(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: p, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: q, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: f, type: joint-force, joint: p, effort: {expression: "-2*q(p)+q(q)-v(p)+v(q)"}}
  - {name: g, type: joint-force, joint: q, effort: {expression: "-2*q(q)+q(p)-v(q)+v(p)"}}
)YAML");
  const auto middle = system_from_text(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: c, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: p, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: q, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: r, type: prismatic, base: ground, moving: c, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: f, type: joint-force, joint: p, effort: {expression: "-2*q(p)+q(q)"}}
  - {name: g, type: joint-force, joint: q, effort: {expression: "-2*q(q)+q(p)+q(r)-0.3*v(q)"}}
  - {name: h, type: joint-force, joint: r, effort: {expression: "-2*q(r)+q(q)"}}
)YAML");
  for (const host::System* system : {undamped.get(), middle.get()})
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ": " << j.stability.text);
      CHECK(j.stability.verdict == Outlook::neutral);
    }
}
