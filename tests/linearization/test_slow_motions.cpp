// Motions far slower than stiff springs: grow, swing or neither.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "framework/workbench/linearization/stability_verdict.hpp"
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
)YAML",
                                                     t.stiffness, t.damping, t.drive));
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << t.stiffness << ", " << t.damping << ", " << t.drive << ": "
                                 << j.stability.text);
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
)YAML",
                                                     stiffness));
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

namespace {

/// The rate above which the text of a verdict tells nothing, "(to within 1.0e-01 1/s)"; 0 without one.
double told_within(const std::string& text) {
  const std::size_t at = text.find("to within ");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + 10));
}

double growth_of(const host::Modes& modes) {
  double rate = 0;
  for (const host::Mode& mode : modes.all)
    if (mode.trend == host::Mode::Trend::growing) rate = std::max(rate, mode.eigenvalue.real());
  return rate;
}

}  // namespace

// m1 z1'' = k r + c r', m2 (z1 + r)'' = -k r - c r' + e (z1 + r): to first order in e/k growth is sqrt(e/(m1 + m2)).
// The entry e stands in the row of a damping of 2e7 1/s.
TEST_CASE("a small entry in the row of a stiff damper is no rounding") {
  for (const double stiffness : {1e8, 1e10})
    for (const double damping : {0.0, 1e-3, 1e-2})
      for (const double drive : {1e-2, 1e-4})
        for (const double mass : {1.0, 20.0}) {
          const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: a, mass: {}, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: s, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: r, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  - {{name: k, type: joint-spring-damper, joint: r, stiffness: {}, damping: {}}}
  - {{name: e, type: point-force, body: b, point: [0, 0, 0], axes: ground, force: [0, 0, {{expression: "{}*z(b)"}}]}}
)YAML",
                                                           mass, stiffness, damping * stiffness, drive));
          for (const Judged& j : judge_all(*system)) {
            INFO(j.formulation->name() << ", " << stiffness << ", " << damping << ", " << drive << ", " << mass << ": "
                                       << j.stability.text);
            CHECK(j.stability.verdict == Outlook::unstable);
            CHECK(growth_of(j.stability.modes) == Approx(std::sqrt(drive / (1 + mass))).epsilon(1e-4));
          }
        }
}

// A free body on one stiff skew spring at its natural length and a soft force that restores or drives its place: x, y,
// z then move at sqrt(+-1e-3/m) or so across the spring, and a turn about it and the two others are free.
TEST_CASE("a body far from the origin beside a stiff spring does not grow by the rounding of its place") {
  for (const double far : {10.3, 800.3})
    for (const int axis : {0, 1, 2})
      for (const double soft : {-1e-3, 1e-3}) {
        double place[3] = {0.2, -0.1, 0.3};
        place[axis] += far;
        const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies: [{{name: b, position: [{0}, {1}, {2}], mass: 1, inertia: {{xx: 0.1, yy: 0.12, zz: 0.13}}}}]
joints: [{{name: f, type: free, base: ground, moving: b}}]
forces:
  - {{name: s, type: spring-damper, a: {{body: b, point: [0.3, 0.2, 0.1]}}, b: {{body: ground, point: [{3}, {4}, {5}]}}, stiffness: 1.0e10, damping: 0}}
  - {{name: e, type: point-force, body: b, point: [0, 0, 0], axes: ground, force: [{{expression: "{6}*(x(b)-({0}))"}}, {{expression: "{6}*(y(b)-({1}))"}}, {{expression: "{6}*(z(b)-({2}))"}}]}}
)YAML",
                                                         place[0], place[1], place[2], place[0] - 1, place[1] + 0.9,
                                                         place[2] + 0.8, soft));
        const double rate = soft > 0 ? std::sqrt(1e-3) : 0;
        for (const Judged& j : judge_all(*system)) {
          INFO(j.formulation->name() << ", " << far << " m along axis " << axis << ", " << soft << ": "
                                     << j.stability.text);
          CHECK(j.stability.verdict != Outlook::stable);
          if (j.stability.verdict == Outlook::unstable)
            CHECK(growth_of(j.stability.modes) == Approx(rate).epsilon(0.1));
          if (j.stability.verdict == Outlook::neutral && rate > 0) CHECK(told_within(j.stability.text) > rate);
        }
      }
}

// A standing parallelogram: J phi'' = (M g h - k) phi with M h = 1.1 kg m and J = 1.052 kg m^2, next to its critical k.
TEST_CASE("next to a critical stiffness no law has a kink") {
  for (const double apart : {1e-2, 1e-6, 1e-8, 1e-10, -1e-10, -1e-8, -1e-6, -1e-2}) {
    const auto system = system_from_text(fmt::format(R"YAML(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: l, mass: 0.1, center_of_mass: [0, 0, 0.5], inertia: {{xx: 1.0e-3, yy: 1.0e-3, zz: 1.0e-3}}}}
  - {{name: c, position: [0, 0, 1], mass: 1, center_of_mass: [1, 0, 0], inertia: {{xx: 1.0e-3, yy: 1.0e-3, zz: 1.0e-3}}}}
  - {{name: r, position: [2, 0, 0], mass: 0.1, center_of_mass: [0, 0, 0.5], inertia: {{xx: 1.0e-3, yy: 1.0e-3, zz: 1.0e-3}}}}
joints:
  - {{name: p1, type: revolute, base: ground, moving: l, position: [0, 0, 0], axis: [0, 1, 0]}}
  - {{name: p2, type: revolute, base: l, moving: c, position: [0, 0, 1], axis: [0, 1, 0]}}
  - {{name: p3, type: revolute, base: ground, moving: r, position: [2, 0, 0], axis: [0, 1, 0]}}
  - {{name: p4, type: revolute, base: r, moving: c, position: [2, 0, 1], axis: [0, 1, 0]}}
forces: [{{name: s, type: joint-spring-damper, joint: p1, stiffness: {:.17g}, damping: 0}}]
)YAML",
                                                     9.81 * 1.1 * (1 + apart)));
    const double rate = std::sqrt(9.81 * 1.1 * std::abs(apart) / 1.052);
    for (const Judged& j : judge_all(*system)) {
      INFO(j.formulation->name() << ", " << apart << ": " << j.stability.text << "; " << j.stability.why);
      CHECK(j.stability.why.find("law") == std::string::npos);
      CHECK(j.stability.verdict == (apart < 0 ? Outlook::unstable : Outlook::neutral));
      if (std::abs(apart) > 1e-9)
        CHECK(distance_to(j.stability.modes, apart < 0 ? std::complex<double>(rate) : std::complex<double>(0, rate)) <
              1e-3 * rate);
    }
  }
}

TEST_CASE("a doubling time has the digits that the error of its rate leaves") {
  const auto text_of = [](double rate, double error) {
    host::Stability out;
    host::Mode mode;
    mode.eigenvalue = rate;
    mode.error = error;
    mode.trend = trend_of(mode);
    out.modes.all.push_back(mode);
    judge_modes({}, {[](const host::Mode&) { return false; }, [] { return false; }}, out);
    return out.text;
  };
  CHECK(text_of(0.7, 1e-9) == "unstable: a disturbance doubles in 0.9902 s");
  CHECK(text_of(0.7, 0.7 * 0.02) == "unstable: a disturbance doubles in 0.99 s");
  CHECK(text_of(0.7, 0.7 * 0.3) == "unstable: a disturbance doubles in 0.76 to 1.4 s");
  CHECK(text_of(0.7, 0.7 * 0.995) == "unstable: a disturbance doubles, in 0.5 s or later");
}

// Eight bodies of 2 kg in a row, free in space: pushed by e x along the row they grow at sqrt(e/16).
TEST_CASE("slow growth that a stiff row does not resolve is within the rate that is told") {
  const double push = 0.01, rate = std::sqrt(push / 16);
  std::string bodies, joints, forces;
  for (int k = 0; k < 8; ++k) {
    bodies += fmt::format(
        "  - {{name: b{0}, position: [{1}, 0, 0], mass: 2, inertia: {{xx: 0.11, yy: 0.13, zz: 0.12}}}}\n", k, 0.83 * k);
    joints += fmt::format("  - {{name: f{0}, type: free, base: ground, moving: b{0}}}\n", k);
    if (k > 0)
      forces += fmt::format(
          "  - {{name: k{0}, type: bushing, a: {{body: b{1}, point: [0.4, 0, 0]}}, b: {{body: b{0}, point: [-0.43, 0, 0]}}, "
          "stiffness: [1e8, 1e8, 1e8, 1e8, 1e8, 1e8], damping: [1e4, 1e4, 1e4, 1e4, 1e4, 1e4]}}\n",
          k, k - 1);
  }
  const auto system = system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n" + bodies + "joints:\n" + joints + "forces:\n" + forces +
      fmt::format("  - {{name: n, type: point-force, body: b0, point: [0, 0, 0], axes: ground, force: "
                  "[{{expression: \"{}*x(b0)\"}}, 0, 0]}}\n",
                  push));
  for (const Judged& j : judge_all(*system)) {
    INFO(j.formulation->name() << ": " << j.stability.text);
    CHECK((j.stability.verdict == Outlook::none ||
           std::max(told_within(j.stability.text), growth_of(j.stability.modes)) > 0.99 * rate));
  }
}

// Masses of m on slides, each on the one before it, with springs of k and dampers of tau k between them and one end on
// ground: l^2 + tau w^2 l + w^2 = 0 with w = 2 sqrt(k/m) sin((2 j - 1) pi / (2 (2 n + 1))). All are real here; half of
// them crowd at -1/tau, the others reach -4 tau k/m, next to which those are rounding of the whole matrix.
TEST_CASE("of 150 stiffly damped masses in a row fast and slow decays have their digits") {
  constexpr int n = 150;
  constexpr double k = 1e8, tau = 1;
  std::string text = fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nchains:\n  - {{name: c, count: {}, base: ground, start: [0, 0, 0], step: [1, 0, 0], "
      "joint: {{type: prismatic, axis: [1, 0, 0]}}, body: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}}}\nforces:\n",
      n);
  for (int i = 0; i < n; ++i)
    text += fmt::format(
        "  - {{name: s{0}, type: joint-spring-damper, joint: \"c[{0}].joint\", stiffness: {1}, "
        "damping: {2}}}\n",
        i, k, tau * k);
  const auto system = system_from_text(text);
  std::vector<double> wanted;
  for (int j = 1; j <= n; ++j) {
    const double w = 2 * std::sqrt(k) * std::sin((2 * j - 1) * std::numbers::pi / (2 * (2 * n + 1)));
    const double fast = (tau * w * w + std::sqrt(std::pow(tau * w * w, 2) - 4 * w * w)) / 2;
    wanted.insert(wanted.end(), {fast, w * w / fast});
  }
  std::ranges::sort(wanted);
  for (const Formulation* f : formulations_for(*system)) {
    if (f->name() != "riccati") continue;
    const Judged j = judged(*system, *f, initial_point(*system));
    CHECK(j.stability.verdict == Outlook::stable);
    REQUIRE(j.stability.modes.all.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const host::Mode& mode = j.stability.modes.all[i];
      INFO(i << ": " << mode.eigenvalue << ", error " << mode.error << ", wanted -" << wanted[i]);
      CHECK(std::abs(mode.eigenvalue + wanted[i]) < 1e-7 * wanted[i]);
      CHECK(std::abs(mode.eigenvalue + wanted[i]) < 10 * mode.error + 1e-12 * wanted[i]);
    }
  }
}
