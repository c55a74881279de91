// Rows of pendulums that touch, Newton's cradle, against one pendulum and impacts one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81, radius = 0.1, length = 1, inertia = 0.004, drawn = 0.3;

/// The first ball of a row is drawn aside. gap: m.
std::string cradle(int balls, double gap, double restitution) {
  std::string bodies, joints;
  for (int i = 0; i < balls; ++i) {
    const double x = i * (2 * radius + gap);
    bodies += fmt::format(
        "  - {{name: b{}, mass: 1, inertia: {{xx: {}, yy: {}, zz: {}}}, position: [{:.17g}, 0, {}],\n"
        "     geometry: [{{type: sphere, radius: {}}}]}}\n",
        i, inertia, inertia, inertia, x, -length, radius);
    joints += fmt::format(
        "  - {{name: s{0}, type: revolute, base: ground, moving: b{0}, position: [{1:.17g}, 0, 0], axis: [0, 1, 0],\n"
        "     initial: {{position: {2}}}}}\n",
        i, x, i == 0 ? drawn : 0);
  }
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, -{}]\nbodies:\n{}joints:\n{}"
      "contacts: {{all: true, law: rigid, restitution: {}}}\n",
      g, bodies, joints, restitution);
}

/// A pendulum alone, by the method of Runge and Kutta in steps of 20 µs.
struct Pendulum {
  double angle = 0, rate = 0;
  void go(double time) {
    const auto acceleration = [](double q) { return -g * length / (length * length + inertia) * std::sin(q); };
    const int steps = 1 + static_cast<int>(time / 2e-5);
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
      const double k1 = rate, l1 = acceleration(angle), k2 = rate + h / 2 * l1, l2 = acceleration(angle + h / 2 * k1),
                   k3 = rate + h / 2 * l2, l3 = acceleration(angle + h / 2 * k2), k4 = rate + h * l3,
                   l4 = acceleration(angle + h * k3);
      angle += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
  }
};

/// When the drawn ball comes down, s: a quarter of a period, K(sin(drawn / 2)) by the arithmetic-geometric mean.
double first_impact() {
  double a = 1, b = std::cos(drawn / 2);
  for (int i = 0; i < 10; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  constexpr double pi = 3.14159265358979323846;
  return pi / (2 * a) * std::sqrt((length * length + inertia) / (g * length));
}

/// Rates of the balls after an impact of the first one, part by part: each pair passes on what its restitution lets it.
std::vector<double> passed_on(int balls, double restitution, double rate) {
  std::vector<double> v(static_cast<std::size_t>(balls), 0.0);
  v[0] = rate;
  if (restitution == 0) {
    std::ranges::fill(v, rate / balls);
    return v;
  }
  for (bool any = true; any;) {
    any = false;
    std::vector<double> impulse(v.size());
    std::vector<std::size_t> closing;
    for (std::size_t i = 0; i + 1 < v.size(); ++i)
      if (v[i] - v[i + 1] > 1e-13) closing.push_back(i);
    // No two pairs that close at once have a ball in common: the front passes one by one.
    for (const std::size_t i : closing) {
      const double half = 0.5 * (1 + restitution) * (v[i] - v[i + 1]);
      v[i] -= half;
      v[i + 1] += half;
      any = true;
    }
  }
  return v;
}

std::vector<double> angles_of(const Ended& ended, double gap) {
  std::vector<double> all;
  for (std::size_t i = 0; i < ended.positions.size(); ++i) {
    const Vec3& p = ended.positions[i];
    all.push_back(std::atan2(-(p.x - static_cast<double>(i) * (2 * radius + gap)), -p.z));
  }
  return all;
}

host::RunSettings run_of(double duration, const char* integrator = "dopri5") {
  host::RunSettings s = run_settings(integrator);
  s.duration = duration;
  s.output_interval = 0.05;
  s.step = 1e-3;
  return s;
}

}  // namespace

// One end swings, then the other; what is between rests, and touches without a force.
TEST_CASE("a cradle of elastic balls swings at its ends in turn, as one pendulum does") {
  for (const int balls : {2, 3, 5})
    for (const double gap : {0.0, 1e-12}) {
      const auto system = system_from_text(cradle(balls, gap, 1));
      Pendulum one{drawn, 0};
      constexpr double end = 3;
      one.go(end);
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << balls << " balls, gap " << gap);
        const Ended ended = run_to_end(*system, *formulation, run_of(end));
        REQUIRE(ended.record.failure == "");
        CHECK(ended.record.steps < 2000);
        const std::vector<double> q = angles_of(ended, gap);
        CHECK(q.front() == Approx(std::max(one.angle, 0.0)).margin(1e-6));
        CHECK(q.back() == Approx(std::min(one.angle, 0.0)).margin(1e-6));
        for (std::size_t i = 1; i + 1 < q.size(); ++i) CHECK(std::abs(q[i]) < 1e-6);
        CHECK(ended.record.energy_drift < 1e-7);
      }
    }
}

TEST_CASE("a cradle passes on what its restitution lets it, in every formulation") {
  constexpr double end = 1;
  for (const int balls : {2, 3, 5})
    for (const double restitution : {0.0, 0.5, 0.9}) {
      const auto system = system_from_text(cradle(balls, 0, restitution));
      const double impact = first_impact();
      const double rate = -std::sqrt(2 * g * length * (1 - std::cos(drawn)) / (length * length + inertia));
      std::vector<double> after = passed_on(balls, restitution, -rate);
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << " " << balls << " balls, restitution " << restitution);
        const Ended ended = run_to_end(*system, *formulation, run_of(end));
        REQUIRE(ended.record.failure == "");
        CHECK(ended.record.steps < 2000);
        const std::vector<double> q = angles_of(ended, 0);
        for (std::size_t i = 0; i < q.size(); ++i) {
          Pendulum one{0, -after[i]};
          one.go(end - impact);
          CHECK(q[i] == Approx(one.angle).margin(1e-6));
        }
      }
    }
}

// Errors of the motion let the balls that rest beside each other come together as slowly as 1e-8 of what strikes them.
TEST_CASE("a cradle swings at its ends in turn with every integrator") {
  const auto system = system_from_text(cradle(3, 0, 1));
  Pendulum one{drawn, 0};
  constexpr double end = 3;
  one.go(end);
  for (const Formulation* formulation : formulations_for(*system))
    for (const char* const integrator : {"dop853", "radau5", "auto", "cvode-bdf", "rk4"}) {
      INFO(formulation->name() << " " << integrator);
      const Ended ended = run_to_end(*system, *formulation, run_of(end, integrator));
      REQUIRE(ended.record.failure == "");
      const std::vector<double> q = angles_of(ended, 0);
      CHECK(q[0] == Approx(std::max(one.angle, 0.0)).margin(1e-4));
      CHECK(std::abs(q[1]) < 1e-4);
      CHECK(q[2] == Approx(std::min(one.angle, 0.0)).margin(1e-4));
    }
}
