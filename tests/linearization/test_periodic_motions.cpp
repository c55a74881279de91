// Verdicts on periodic motions by Floquet's multipliers, against closed forms and Runge-Kutta integrals.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/linearization/judged.hpp"

using namespace polyform;
using namespace polyform::test;
using host::Outlook;
using Complex = std::complex<double>;

namespace {

double largest_growth(const host::Floquet& floquet) {
  double out = -1e300;
  for (const host::Multiplier& m : floquet.multipliers) out = std::max(out, m.growth(floquet.period));
  return out;
}

std::unique_ptr<host::System> shaken_rod(double frequency) {
  return system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: pivot, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: rod, mass: 0.8, center_of_mass: [0, 0, 0.4], inertia: {{xx: 0.07, yy: 0.07, zz: 0.001}}}}
joints:
  - {{name: shaker, type: prismatic, base: ground, moving: pivot, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: pin, type: revolute, base: pivot, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}}
constraints:
  - {{name: shake, type: prescribed-motion, joint: shaker, motion: {{sine: {{amplitude: 0.04, frequency: {}}}}}}}
)",
                                      frequency));
}

/// The trace of the matrix of (θ, θ') over a period of the shaken rod.
double mathieu_trace(double frequency) {
  const double w = 2 * M_PI * frequency, ratio = 0.8 * 0.4 / (0.07 + 0.8 * 0.16);
  return trace_over(1 / frequency, [&](double t) { return ratio * (9.81 - 0.04 * w * w * std::sin(w * t)); });
}

/// A shipped model whose time runs so many times slower: stiffnesses are divided by the square, damping and rates once.
std::unique_ptr<host::System> slowed(const std::string& model, double times) {
  std::ifstream file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto divide = [&](const std::string& key, double by) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + key.size())) {
      at += key.size();
      const std::size_t end = text.find_first_of(",]}", at);
      text.replace(at, end - at, fmt::format("{:.17g}", std::stod(text.substr(at, end - at)) / by));
    }
  };
  divide("stiffness: ", times * times);
  for (const char* const key : {"damping: ", "velocity: ", "polynomial: [0, "}) divide(key, times);
  return system_from_text(text);
}

}  // namespace

TEST_CASE("ground resonance grows at the rate of Coleman's equations, by multipliers and in multi-blade coordinates") {
  const double mass = 21.5, S = 2.25, I = 0.6 + 2.5 * 0.81, e = 0.25, W = 18, k = 50 + W * W * e * S, c = 0.06;
  Eigen::Matrix4d M, D, K;  // x, y, cosine and sine of the lag
  M << mass, 0, 0, -1.5 * S, 0, mass, 1.5 * S, 0, 0, S, I, 0, -S, 0, 0, I;
  D << 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, c, 2 * W * I, 0, 0, -2 * W * I, c;
  K << 1400, 0, 0, 0, 0, 2600, 0, 0, 0, 0, k - W * W * I, W * c, 0, 0, -W * c, k - W * W * I;
  Eigen::Matrix<double, 8, 8> A = Eigen::Matrix<double, 8, 8>::Zero();
  A.topRightCorner<4, 4>().setIdentity();
  A.bottomLeftCorner<4, 4>() = -M.inverse() * K;
  A.bottomRightCorner<4, 4>() = -M.inverse() * D;
  const double growth = A.eigenvalues().real().maxCoeff();
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/ground_resonance.yaml");
  std::vector<const Formulation*> two = formulations_for(*system);  // products over a turn take their time
  REQUIRE(two.size() >= 2);
  two = {two.front(), two.back()};
  for (const Formulation* f : two) {
    INFO(f->name());
    const Judged turn = judged(*system, *f, initial_point(*system));
    CHECK(turn.stability.verdict == Outlook::unstable);
    REQUIRE(turn.stability.floquet);
    CHECK(turn.stability.floquet->period == Approx(2 * M_PI / W));
    CHECK(largest_growth(*turn.stability.floquet) == Approx(growth).epsilon(1e-8));
    const Judged blades =
        judged(*system, *f, initial_point(*system), {{}, {}, {{"shaft", {"lag1", "lag2", "lag3"}}}, false, {}});
    CHECK(blades.stability.verdict == Outlook::unstable);
    CHECK(blades.stability.modes_of == host::ModesOf::motion);
    for (const Complex value : A.eigenvalues())
      if (value.imag() > 0) CHECK(distance_to(blades.stability.modes, value) < 1e-8);
  }
}

TEST_CASE("ground resonance is as unstable when all of it is a million times slower") {
  const double growth = 1.00574;  // of the model as it is, 1/s: the test above
  const auto system = slowed("ground_resonance", 1e6);
  const Judged turn = judged(*system, *formulations_for(*system).front(), initial_point(*system));
  INFO(turn.stability.text << ": " << turn.stability.why);
  CHECK(turn.stability.verdict == Outlook::unstable);
  REQUIRE(turn.stability.floquet);
  CHECK(largest_growth(*turn.stability.floquet) == Approx(1e-6 * growth).epsilon(1e-5));
}

TEST_CASE("a rod on a shaken pivot stands or falls as its Mathieu equation says") {
  for (const double frequency : {10.0, 40.0}) {
    const double trace = mathieu_trace(frequency);
    const auto system = shaken_rod(frequency);
    for (const Judged& j : judge_all(*system)) {
      INFO(frequency << " Hz, " << j.formulation->name() << ": " << j.stability.text << ", " << j.stability.why);
      CHECK(j.stability.verdict == (std::abs(trace) > 2 ? Outlook::unstable : Outlook::neutral));
      REQUIRE(j.stability.floquet);
      Complex sum = 0;
      for (const host::Multiplier& mu : j.stability.floquet->multipliers)
        sum += mu.value.imag() != 0 ? mu.value + std::conj(mu.value) : mu.value;
      CHECK(sum.real() == Approx(trace).epsilon(1e-8));
    }
  }
}

TEST_CASE("a turn of a joint by the clock is a period: a rod on a turning hinge between two springs of ground") {
  // B θ'' = [ω² (A − C) − m l g − 2 k h² cos² ωt] θ: the springs hold along x alone.
  constexpr double mass = 1.3, l = 0.4, A = 0.07 + mass * l * l, C = 0.01, k = 60, h = 0.4;
  for (const double omega : {3.0, 7.0, 9.0}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: rod, mass: 1.3, center_of_mass: [0, 0, -0.4], inertia: {{xx: 0.07, yy: 0.07, zz: 0.01}}}}
joints:
  - {{name: hinge, type: moving-hinge, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0],
     drive_axis: [0, 0, 1], turn: {{polynomial: [0, {}]}}}}
forces:
  - {{name: left, type: spring-damper, a: {{body: ground, point: [-1, 0, -0.4]}}, b: {{body: rod, point: [0, 0, -0.4]}}, stiffness: 60}}
  - {{name: right, type: spring-damper, a: {{body: ground, point: [1, 0, -0.4]}}, b: {{body: rod, point: [0, 0, -0.4]}}, stiffness: 60}}
)",
                                                     omega));
    const double trace = trace_over(2 * M_PI / omega, [&](double t) {
      const double along = std::cos(omega * t);
      return (omega * omega * (A - C) - mass * l * 9.81 - 2 * k * h * h * along * along) / A;
    });
    for (const Judged& j : judge_all(*system)) {
      INFO(omega << " rad/s, " << j.formulation->name() << ": " << j.stability.text << ", " << j.stability.why);
      CHECK(j.stability.verdict == (std::abs(trace) > 2 ? Outlook::unstable : Outlook::neutral));
      REQUIRE(j.stability.floquet);
      CHECK(j.stability.floquet->told_by == "a turn of joint `hinge` by the clock");
      Complex sum = 0;
      for (const host::Multiplier& mu : j.stability.floquet->multipliers)
        sum += mu.value.imag() != 0 ? mu.value + std::conj(mu.value) : mu.value;
      CHECK(sum.real() == Approx(trace).epsilon(1e-8));
    }
  }
}

TEST_CASE("a sine whose half periods fill the duration of a run is seen between them") {
  for (const double frequency : {50.0, 100.0}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: rod, mass: 1, center_of_mass: [0, 0, 1], inertia: {{xx: 0, yy: 0, zz: 0}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}}
forces:
  - {{name: f, type: point-force, body: rod, point: [0, 0, 1], force: [0, 0, {{sine: {{amplitude: 1600, frequency: {}}}}}]}}
)",
                                                     frequency));
    const double trace =
        trace_over(1 / frequency, [&](double t) { return 9.81 - 1600 * std::sin(2 * M_PI * frequency * t); });
    for (const Judged& j : judge_all(*system)) {
      INFO(frequency << " Hz, " << j.formulation->name() << ": " << j.stability.text << ", " << j.stability.why);
      CHECK(j.stability.verdict == (std::abs(trace) > 2 ? Outlook::unstable : Outlook::neutral));
      REQUIRE(j.stability.floquet);
      Complex sum = 0;
      for (const host::Multiplier& mu : j.stability.floquet->multipliers)
        sum += mu.value.imag() != 0 ? mu.value + std::conj(mu.value) : mu.value;
      CHECK(sum.real() == Approx(trace).epsilon(1e-8));
    }
  }
}

TEST_CASE("a whirling pendulum has its period from wherever it starts") {
  const double speed = 8;
  double period = 0;  // of dθ / θ' with θ'² = v² − 2 g (1 − cos θ), by the trapezoidal rule over a turn
  constexpr int points = 400;
  for (int k = 0; k < points; ++k)
    period += 2 * M_PI / points / std::sqrt(speed * speed - 2 * 9.81 * (1 - std::cos(2 * M_PI * k / points)));
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies: [{name: b, mass: 1, center_of_mass: [0, -1, 0], inertia: {xx: 0, yy: 0, zz: 0}}]
joints: [{name: p, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 8}}]
)");
  for (const Judged& j : judge_all(*system)) {
    INFO(j.formulation->name() << ": " << j.stability.why);
    REQUIRE(j.stability.floquet);
    CHECK(j.stability.floquet->period == Approx(period).epsilon(1e-10));
    CHECK(j.stability.verdict == Outlook::neutral);
  }
}
