// Flexible blades on a turning shaft: their frequencies against published ones.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A uniform blade from the axis of the shaft. Its unit of frequency is √(EI / μ l⁴).
struct Blade {
  double length = 2, density = 3, stiffness = 1200, speed = 0;  ///< speed in that unit
  int modes = 6;
  bool flap = true;
  std::string boundary = "clamped-free", stiffening = {}, tip = {};

  double unit() const { return std::sqrt(stiffness / density) / (length * length); }
  std::string model() const {
    return fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: hub, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: blade, type: flexible-beam, orientation: {{axis: [1, 0, 0], angle: {}}}, length: {}, linear_density: {}, bending_stiffness: {}, modes: {}, boundary: {}{}}}
{}
joints:
  - {{name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: {}}}}}
  - {{name: root, type: fixed, base: hub, moving: blade, position: [0, 0, 0]}}
{}
constraints:
  - {{name: drive, type: prescribed-motion, joint: shaft, motion: {{polynomial: [0, {}]}}}}
)",
                       flap ? std::acos(-1) / 2 : 0.0, length, density, stiffness, modes, boundary,
                       stiffening.empty() ? "" : ", geometric_stiffening: " + stiffening, tip.empty() ? "" : tip,
                       speed * unit(),
                       tip.empty() ? ""
                                   : fmt::format("  - {{name: tip, type: fixed, base: blade, moving: tip, position: "
                                                 "[{}, 0, 0]}}",
                                                 length),
                       speed * unit());
  }
  /// The lowest frequencies by every formulation, in the unit.
  std::vector<std::vector<double>> all_frequencies() const {
    const auto system = system_from_text(model());
    std::vector<std::vector<double>> all;
    for (const LinearCase& c : linearize_all(*system)) {
      all.push_back(frequencies(c.modes));
      for (double& f : all.back()) f /= unit();
    }
    REQUIRE(all.size() >= 2);
    return all;
  }
};

}  // namespace

TEST_CASE("the flap frequencies of a turning blade are those of Wright and others") {
  // Wright, Smith, Thresher and Wang, Vibration modes of centrifugally stiffened beams, J. Appl. Mech. 49, 1982: hub
  // radius 0, first and second mode.
  const double published[][3] = {
      {0, 3.5160, 22.0345}, {2, 4.1373, 22.6149}, {6, 7.3604, 26.8091}, {12, 13.1702, 37.6031}};
  for (const auto& [speed, first, second] : published)
    for (const std::vector<double>& found : Blade{.speed = speed}.all_frequencies()) {
      INFO("speed " << speed);
      CHECK(found[0] == Approx(first).epsilon(1e-3));
      CHECK(found[1] == Approx(second).epsilon(1e-3));
    }
}

TEST_CASE("in the plane of rotation the square of a frequency is less by that of the speed") {
  const double published[][3] = {{2, 4.1373, 22.6149}, {12, 13.1702, 37.6031}};
  for (const auto& [speed, first, second] : published)
    for (const std::vector<double>& found : Blade{.speed = speed, .modes = 12, .flap = false}.all_frequencies()) {
      INFO("speed " << speed);
      CHECK(found[0] == Approx(std::sqrt(first * first - speed * speed)).epsilon(1e-3));
      CHECK(found[1] == Approx(std::sqrt(second * second - speed * speed)).epsilon(1e-3));
    }
}

TEST_CASE("a mass at the tip stiffens a blade by its pull") {
  // One mode: (m φ² + M) ω² = k + Ω² (μ ∫ ½ (l² − x²) φ'² dx + M l ∫ φ'² dx) with φ(l) = 1, the integrals by Simpson's
  // rule from the shape itself.
  const double M = 4, speed = 5;
  const Blade blade{.speed = speed,
                    .modes = 1,
                    .tip = fmt::format("  - {{name: tip, position: [2, 0, 0], mass: {}, center_of_mass: [0, 0, 0], "
                                       "inertia: {{xx: 0, yy: 0, zz: 0}}}}",
                                       M)};
  const double lambda = 1.8751040687119611, sigma = 0.7340955137589128;
  const auto slope = [&](double s) {  // of the shape that is 1 at s = 1
    return 0.5 * lambda *
           (std::sinh(lambda * s) + std::sin(lambda * s) - sigma * (std::cosh(lambda * s) - std::cos(lambda * s)));
  };
  double plain = 0, moment = 0;
  const int panels = 2000;
  for (int i = 0; i <= panels; ++i) {
    const double s = static_cast<double>(i) / panels, w = (i == 0 || i == panels ? 1
                                                           : i % 2 == 1          ? 4
                                                                                 : 2) /
                                                          (3.0 * panels);
    plain += w * slope(s) * slope(s);
    moment += w * 0.5 * (1 - s * s) * slope(s) * slope(s);
  }
  // In units of μ l and √(EI / μ l⁴).
  const double m = 0.25, k = 0.25 * std::pow(lambda, 4), tip = M / (3 * 2);
  const double expected = std::sqrt((k + speed * speed * (moment + tip * plain)) / (m + tip));
  for (const std::vector<double>& found : blade.all_frequencies()) CHECK(found[0] == Approx(expected).epsilon(1e-9));
}

TEST_CASE("stiffening is on where a motion drives the blade round, and can be given") {
  for (const std::vector<double>& found : Blade{.speed = 4, .modes = 2, .stiffening = "true"}.all_frequencies())
    CHECK(found[0] == Approx(5.585).epsilon(2e-3));
  // Flap without it: the frequency of rest.
  for (const std::vector<double>& found : Blade{.speed = 4, .modes = 2, .stiffening = "false"}.all_frequencies())
    CHECK(found[0] == Approx(3.5160153).epsilon(1e-7));
}

TEST_CASE("the example blade flaps at the published frequency for its speed") {
  const auto system = system_from_file(POLYFORM_MODELS "/rotating_blade.yaml");
  // Wright and others, hub radius 0, speed 10 √(EI / μ l⁴): the first frequency is 11.2023 of that unit, 2 rad/s.
  const auto all = linearize_all(*system);
  REQUIRE(all.size() >= 2);
  for (const LinearCase& c : all) {
    INFO(c.formulation->name());
    CHECK(frequencies(c.modes).front() == Approx(2 * 11.2023).epsilon(1e-3));
  }
}

TEST_CASE("a turning blade of two beams in series has the frequencies of one") {
  // Wright and others; the third by a beam of finite differences. Shapes with a free end converge slowly where another
  // beam bends that end: 8 of each come within 1 %.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: hub, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: inner, type: flexible-beam, length: 0.5, linear_density: 1, bending_stiffness: 1, modes: 8, boundary: clamped-free}
  - {name: outer, type: flexible-beam, position: [0.5, 0, 0], length: 0.5, linear_density: 1, bending_stiffness: 1, modes: 8, boundary: clamped-free}
joints:
  - {name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 12}}
  - {name: root, type: fixed, base: hub, moving: inner, position: [0, 0, 0]}
  - {name: middle, type: fixed, base: inner, moving: outer, position: [0.5, 0, 0]}
constraints:
  - {name: drive, type: prescribed-motion, joint: shaft, motion: {polynomial: [0, 12]}}
)");
  for (const LinearCase& c : linearize_all(*system)) {
    INFO(c.formulation->name());
    const std::vector<double> found = frequencies(c.modes);
    REQUIRE(found.size() == 16);
    CHECK(found[0] == Approx(13.1702).epsilon(1e-3));
    CHECK(found[1] == Approx(37.6031).epsilon(1e-2));
    CHECK(found[2] == Approx(79.6145).epsilon(1e-3));
    CHECK(c.linear.A.error.maxCoeff() < 1e-10 * c.linear.A.value.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("a shape that hardly moves the clamped node leaves the modes as they are") {
  // Flap of m = 0.5 (0.3² + 1) at its frequency at rest, lag at that less the speed: no stiffening was asked for.
  const double m = 0.5 * (0.09 + 1), flap = std::sqrt(3 / m), lag = std::sqrt(36 - 4 / m);
  for (const double rotation : {0.0, 1e-15, 1e-12, 1e-9}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: hub, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: blade, type: modal-body, nodes: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]], mode_displacements: [[0, 0, 0, 0, 0.3, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0.3, 0, 0, 1]], mode_rotations: [[0, 0, {0}, 0, 0, 1.1, 0, 0, 1.4], [0, {0}, 0, 0, -1.1, 0, 0, -1.4, 0]], modal_stiffness: [3, 4], node_masses: [0, 0.5, 0.5]}}
joints:
  - {{name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 1, 0], initial: {{velocity: 6}}}}
  - {{name: clamp, type: fixed, base: hub, moving: blade, position: [0, 0, 0]}}
constraints:
  - {{name: drive, type: prescribed-motion, joint: shaft, motion: {{polynomial: [0, 6]}}}}
)",
                                                     rotation));
    for (const LinearCase& c : linearize_all(*system)) {
      INFO(rotation << ", " << c.formulation->name());
      double growth = 0;
      for (const host::Mode& mode : c.modes.all) growth = std::max(growth, mode.eigenvalue.real());
      CHECK(frequencies(c.modes).at(0) == Approx(flap).epsilon(1e-7));
      CHECK(growth == Approx(lag).epsilon(1e-7));
    }
  }
}
