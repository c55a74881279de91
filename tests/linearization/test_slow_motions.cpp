// Motions far slower than stiff springs: grow, swing or neither.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "tests/linearization/judged.hpp"

using namespace polyform;
using namespace polyform::test;
using host::Outlook;

// Masses of 1 kg on slides, tied by stiff springs and dampers and driven by formulas. To first order in 1/k two tied
// masses move as one of 2 kg: driven by e on one of them they grow by sqrt(e/2) or swing at that rate; two such pairs
// with efforts -q2 - e q4 and -q4 + e q2 have 2 s^2 = -1 +- e i.
TEST_CASE("motions far slower than a stiff spring are told by what drives them") {
  struct Tied {
    double stiffness, damping, drive;
  };
  for (const Tied& t : {Tied{1e8, 1e4, 1e-4}, Tied{1e8, 1e4, -1e-4}, Tied{1e12, 0, 1}, Tied{1e12, 1e6, 1},
                        Tied{1e12, 0, -1}, Tied{1e6, 0, 1e-6}, Tied{1e9, 1e5, 0}, Tied{1e12, 0, 0}}) {
    const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
  - {{name: b, mass: 1, position: [1, 0, 0], inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
joints:
  - {{name: sa, type: prismatic, base: ground, moving: a, axis: [1, 0, 0], position: [0, 0, 0]}}
  - {{name: sb, type: prismatic, base: ground, moving: b, axis: [1, 0, 0], position: [1, 0, 0]}}
forces:
  - {{name: k, type: spring-damper, a: {{body: a, point: [0, 0, 0]}}, b: {{body: b, point: [0, 0, 0]}}, stiffness: {}, damping: {}}}
  - {{name: n, type: joint-force, joint: sa, effort: {{expression: "{}*q(sa)"}}}}
)YAML", t.stiffness, t.damping, t.drive));
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << t.stiffness << ", " << t.damping << ", " << t.drive << ": " << j.stability.text);
      const double rate = std::sqrt(std::abs(t.drive) / 2);
      if (t.drive == 0) {
        CHECK(j.stability.verdict == Outlook::neutral);
        CHECK(j.stability.modes.zero_eigenvalues == 2);
      } else if (t.drive > 0) {
        CHECK(j.stability.verdict == Outlook::unstable);
        CHECK(distance_to(j.stability.modes, rate) < 1e-2 * rate);
      } else {
        CHECK(j.stability.verdict == (t.damping == 0 ? Outlook::neutral : Outlook::none));
        CHECK(distance_to(j.stability.modes, {0, rate}) < 1e-2 * rate);
      }
    }
  }
}

TEST_CASE("of two pairs of masses the slow growth is told, not the rounding of the fast one") {
  for (const double stiffness : {1e6, 1e9, 1e12}) {
    const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: b1, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b2, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b3, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b4, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: s1, type: prismatic, base: ground, moving: b1, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: s2, type: prismatic, base: ground, moving: b2, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: s3, type: prismatic, base: ground, moving: b3, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: s4, type: prismatic, base: ground, moving: b4, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: f1, type: joint-force, joint: s1, effort: {{expression: "{0}*(q(s2)-q(s1))"}}}}
  - {{name: f2, type: joint-force, joint: s2, effort: {{expression: "{0}*(q(s1)-q(s2))-q(s2)-0.5*q(s4)"}}}}
  - {{name: f3, type: joint-force, joint: s3, effort: {{expression: "{0}*(q(s4)-q(s3))"}}}}
  - {{name: f4, type: joint-force, joint: s4, effort: {{expression: "{0}*(q(s3)-q(s4))-q(s4)+0.5*q(s2)"}}}}
)YAML", stiffness));
    const std::complex<double> root = std::sqrt(std::complex<double>(-0.5, 0.25));
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << stiffness << " N/m: " << j.stability.text);
      CHECK(j.stability.verdict == Outlook::unstable);
      CHECK(distance_to(j.stability.modes, root) < 1e-2);
      double growth = 0;
      for (const host::Mode& mode : j.stability.modes.all)
        if (mode.trend == host::Mode::Trend::growing) growth = std::max(growth, mode.eigenvalue.real());
      CHECK(growth == Approx(root.real()).epsilon(0.02));
    }
  }
}

// Bodies on bushings in a row, free in space: nothing restores the whole, and rounding must not make it grow.
TEST_CASE("free bodies tied stiffly to each other neither grow nor swing as a whole") {
  for (const double stiffness : {1e4, 1e8, 1e12}) {
    std::string bodies, joints, bushings;
    for (int k = 0; k < 3; ++k) {
      bodies += fmt::format(
          "  - {{name: b{0}, position: [{1}, {2}, 0.3], mass: {3}, inertia: {{xx: 0.11, yy: 0.13, zz: 0.12}}}}\n", k,
          0.83 * k, 0.17 * k * k, 1 + 0.3 * k);
      joints += fmt::format("  - {{name: f{0}, type: free, base: ground, moving: b{0}}}\n", k);
      if (k == 0) continue;
      bushings += fmt::format(
          "  - {{name: k{0}, type: bushing, a: {{body: b{1}, point: [0.4, {2}, 0]}}, b: {{body: b{0}, point: [-0.43, {3}, 0]}}, "
          "stiffness: [{4}, {4}, {4}, {4}, {4}, {4}], damping: [{5}, {5}, {5}, {5}, {5}, {5}]}}\n",
          k, k - 1, 0.1, 0.1 - 0.17 * (2 * k - 1), stiffness, 1e-4 * stiffness);
    }
    const auto system = system_from_text("polyform: 1\ngravity: [0, 0, 0]\nbodies:\n" + bodies + "joints:\n" + joints +
                                         "forces:\n" + bushings);
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << stiffness << ": " << j.stability.text);
      CHECK(j.stability.verdict == Outlook::neutral);
      CHECK(j.stability.modes.zero_eigenvalues == 12);
    }
  }
}
