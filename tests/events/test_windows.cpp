// Laws that hold in a narrow window of the state: between a kink and an edge, at the start, with high jumps.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double moment_of_inertia = 0.5;

/// A rotor at 10 rad/s, with a torque.
std::unique_ptr<host::System> rotor(const std::string& torque) {
  return system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{name: d, mass: 1, inertia: {xx: 0.5, yy: 0.5, zz: 0.5}}]\n"
      "joints: [{name: j, type: revolute, base: ground, moving: d, position: [0, 0, 0], axis: [0, 0, 1], "
      "initial: {velocity: 10}}]\n"
      "forces: [{name: b, type: joint-force, joint: j, effort: {expression: \"" +
      torque + "\"}}]\n");
}

/// The rate at the end by every integrator, against a closed form; with states that are the angle and its rate, which
/// the integrators know to their tolerances. The search for events is the same for all states.
void check_end_rate(const std::string& torque, double duration, double interval, double rate, double error) {
  INFO(torque);
  const auto system = rotor(torque);
  const auto able = formulations_for(*system);
  const auto tree = std::ranges::find(able, "riccati", [](const Formulation* f) { return f->name(); });
  REQUIRE(tree != able.end());
  for (const IntegratorType* const type : integrator_types()) {
    INFO(std::string(type->name()));
    host::RunSettings settings = run_settings(type->name());
    settings.duration = duration;
    settings.output_interval = interval;
    settings.step = 1e-3;
    const Ended end = run_to_end(*system, **tree, settings);
    INFO(end.record.failure);
    REQUIRE(end.record.end == host::End::done);
    CHECK(end.angular_velocities[0].z == Approx(rate).epsilon(error));
  }
}

/// The rate after a time where a torque holds within `half` rad of each multiple of π, the rotor starting 1 rad behind
/// one: each window takes the work torque × 2 half, and the motion in it has the mean of the rates before and behind.
double rate_behind_windows(double torque, double half, double time) {
  double squared = 100, from = 1, t = 0;
  for (int n = 1;; ++n) {
    const double rate = std::sqrt(squared), edge = n * std::numbers::pi - half;
    t += (edge - from) / rate;
    squared -= 2 * torque / moment_of_inertia * 2 * half;
    t += 2 * half / (0.5 * (rate + std::sqrt(squared)));
    if (t > time) return rate;
    from = edge + 2 * half;
  }
}

}  // namespace

// Each window has an edge, the kink of abs at its middle, and an edge, within one step: the first of them is met first.
TEST_CASE("narrow windows about the kink of their own formula are met in full by every integrator") {
  CHECK(rate_behind_windows(15000, std::asin(1e-5), 30) == Approx(4.289522117747));
  for (const double half : {1e-5, 1e-7, 1e-8}) {
    const double torque = 0.15 / half;
    check_end_rate(fmt::format("if(abs(sin(q(j)+1))<{}, {}, 0)", half, -torque), 30, 0.05,
                   rate_behind_windows(torque, std::asin(half), 30), 5e-4);
  }
}

// The windows lie about the tops of the cosine, where a condition that turns round holds for a moment: at every 2π from
// the start on, cos(q) > 1 − half²/2 is abs(q) < half up to a part of half².
TEST_CASE("narrow windows about the top of a formula's own wave are met in full by every integrator") {
  const auto rate = [](double torque, double half, double time) {
    double squared = 100, from = half, t = 0;
    for (int n = 1;; ++n) {
      const double now = std::sqrt(squared), edge = 2 * n * std::numbers::pi - half;
      t += (edge - from) / now;
      if (t > time) return now;
      squared -= 2 * torque / moment_of_inertia * 2 * half;
      t += 2 * half / (0.5 * (now + std::sqrt(squared)));
      from = edge + 2 * half;
    }
  };
  // The run starts at the edge behind the top of the first window.
  check_end_rate("if(cos(q(j)+1e-5)>1-5e-11, -15000, 0)", 6, 0.05, rate(15000, 1e-5, 6), 1e-6);
}

TEST_CASE("a window between two zeros of a product is met in full by every integrator") {
  // v² = 100 − 2 × 1.5e5/0.5 × 2e-5: a window of 2 µs.
  const double rate = std::sqrt(100 - 2 * 1.5e5 / moment_of_inertia * 2e-5);
  check_end_rate("if((q(j)-20)*(q(j)-20.00002)<0, -150000, 0)", 3, 0.05, rate, 1e-6);
  check_end_rate("if(-(q(j)-20)*(20.00002-q(j))<0, -150000, 0)", 3, 0.05, rate, 1e-6);
  // The same width of 2e-8 rad, 2 ns, with a thousand times the torque.
  check_end_rate("if((q(j)-20)*(q(j)-20.00000002)<0, -1.5e8, 0)", 3, 0.05, rate, 1e-5);
}

// The work that an integral counts is zero until the window, and jumps there by megawatts: no step is as short as its
// absolute tolerance would ask for.
TEST_CASE("a window that a square bounds, and one about a top that is all but flat, are met by every integrator") {
  const double rate = std::sqrt(100 - 2 * 1.5e5 / moment_of_inertia * 2e-5);
  check_end_rate("if((q(j)-20.00001)^2<1e-10, -150000, 0)", 3, 0.05, rate, 1e-6);
  // abs(q + 1e-6 − 2πn) < 1e-6 beyond the start, once within 1 s. Rounding of the cosine places its edges to 1e-10.
  const double narrow = std::sqrt(100 - 2 * 1.5e5 / moment_of_inertia * 2e-6);
  check_end_rate("if(cos(q(j)+1e-6)>1-5e-13, -150000, 0)", 1, 0.05, narrow, 1e-6);
}

TEST_CASE("ten windows of two microseconds in one run are each met in full by every integrator") {
  const double rate = std::sqrt(100 - 10 * 2 * 1.5e4 / moment_of_inertia * 2e-5);
  std::string products = "0", sizes = "0";
  for (int k = 1; k <= 10; ++k) {
    products += fmt::format(" + if((q(j)-{0})*(q(j)-{0}.00002)<0, -15000, 0)", 2 * k);
    sizes += fmt::format(" + if(abs(q(j)-{}.00001)<1e-5, -15000, 0)", 2 * k);
  }
  // Each window may cost what one does in the cases above.
  check_end_rate(products, 3, 0.05, rate, 1e-5);
  check_end_rate(sizes, 3, 0.05, rate, 1e-5);
}

// On q + v = 0 the torque would have to lie between its two values for the motion to slide along the line.
TEST_CASE("a relay along whose switching line the motion would slide ends the run with that cause") {
  const auto system = rotor("-100*sign(q(j)+v(j))");
  const auto able = formulations_for(*system);
  const auto tree = std::ranges::find(able, "riccati", [](const Formulation* f) { return f->name(); });
  REQUIRE(tree != able.end());
  host::RunSettings settings = run_settings("dopri5");
  settings.duration = 10;
  settings.output_interval = 1;
  const auto solver = solver_for(*system, **tree);
  const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
  CHECK(record.end == host::End::failed);
  CHECK_THAT(record.failure, Catch::Contains("q(j)+v(j)") && Catch::Contains("without end"));
  CHECK_THAT(record.remedy, Catch::Contains("a relay along whose switching line the motion would slide"));
}

// v² = 100 − 2 × 1.5e6/0.5 × 1e-6. A first step of 1 ms goes out of the window and comes back into it.
TEST_CASE("a run that starts in a narrow window leaves it at its edge by every integrator") {
  check_end_rate("if(q(j)<1e-6, -1500000, 0)", 0.01, 0.01, std::sqrt(94.0), 1e-8);
  // The same window, from the instant on at which a clock switches the torque on.
  check_end_rate("if(t>0.5 && q(j)<5.000001, -1500000, 0)", 1, 1, std::sqrt(94.0), 1e-5);
}

// The work of 1500 N m over 0.02 rad is more than the rotor has: it turns back. That over 0.0002 rad takes 0.3 J.
TEST_CASE("an edge far from the origin with a high jump behind it is passed by every integrator") {
  check_end_rate("if(q(j)>200 && q(j)<200.02, -1500, 0)", 30, 1, -10, 1e-8);
  check_end_rate("(abs(q(j)-200.0001)<0.0001)*-1500", 30, 1, std::sqrt(98.8), 1e-6);
  check_end_rate("if(q(j)>2, -150000, 0)", 1, 1, -10, 1e-6);
}

// Differences for Newton's iteration that were taken across the edge are no good behind it: the body flies freely
// there.
TEST_CASE("behind a high jump cvode-bdf goes on right in every formulation") {
  const auto system = rotor("if(q(j)>200, -1500, 0)");
  for (const Formulation* const formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::RunSettings settings = run_settings("cvode-bdf");
    settings.duration = 30;
    settings.output_interval = 1;
    const Ended end = run_to_end(*system, *formulation, settings);
    INFO(end.record.failure);
    REQUIRE(end.record.end == host::End::done);
    CHECK(end.angular_velocities[0].z == Approx(-10).epsilon(1e-6));
  }
}
