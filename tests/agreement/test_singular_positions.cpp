// Loops that pass singular positions, and systems that are drawn far from the ground origin.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/simulation/simulate.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A parallelogram that turns through its flat positions; offset: along x, ground: length of the ground link, rate: at
/// the beginning, rad/s.
std::string parallelogram(double offset, double ground, const char* gravity = "[0, -9.81, 0]", double rate = 1) {
  return fmt::format(R"(
polyform: 1
gravity: {3}
bodies:
  - {{name: crank, position: [{0}, 0, 0], orientation: {{axis: [0, 0, 1], angle: 1.5707963267948966}}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: coupler, position: [{0}, 1, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: rocker, position: [{1}, 0, 0], orientation: {{axis: [0, 0, 1], angle: 1.5707963267948966}}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
joints:
  - {{name: A, type: revolute, base: ground, moving: crank, position: [{0}, 0, 0], axis: [0, 0, 1], initial: {{velocity: {4}}}}}
  - {{name: B, type: revolute, base: crank, moving: coupler, position: [{0}, 1, 0], axis: [0, 0, 1]}}
  - {{name: D, type: revolute, base: ground, moving: rocker, position: [{1}, 0, 0], axis: [0, 0, 1]}}
  - {{name: C, type: revolute, base: coupler, moving: rocker, position: [{2}, 1, 0], axis: [0, 0, 1], cut: true}}
)",
                     offset, offset + ground, offset + 1, gravity, rate);
}

std::string double_pendulum(double offset) {
  return fmt::format(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: upper, position: [{0}, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: lower, position: [{1}, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
joints:
  - {{name: A, type: revolute, base: ground, moving: upper, position: [{0}, 0, 0], axis: [0, 0, 1]}}
  - {{name: D, type: revolute, base: upper, moving: lower, position: [{1}, 0, 0], axis: [0, 0, 1]}}
)",
                     offset, offset + 1);
}

class LastRow final : public host::RowSink {
 public:
  void row(double, const Observation& o) override {
    x = o.bodies[0].pose.position.x;
    energy = o.kinetic_energy;
    v.assign(o.v.begin(), o.v.end());
  }
  double x = 0, energy = 0;
  std::vector<double> v;
};

struct Ran {
  host::RunRecord record;
  double v = 0, x = 0, kinetic = 0;
};

/// One second of it; v: of a joint.
Ran run(const std::string& model, const Formulation& formulation, std::string_view joint, double tolerance = 0) {
  const auto system = system_from_text(model);
  const auto solver = solver_for(*system, formulation);
  LastRow last;
  host::RowSink* sinks[] = {&last};
  host::RunSettings settings = test::run_settings();
  settings.duration = 1;
  if (tolerance > 0) settings.relative_tolerance = tolerance;
  Ran ran;
  ran.record = host::simulate(*system, *solver, settings, sinks, {});
  const auto& joints = system->view().joints;
  for (const JointData& j : joints)
    if (j.name == joint && !last.v.empty()) ran.v = last.v[j.v_offset];
  ran.x = last.x;
  ran.kinetic = last.energy;
  return ran;
}

bool says(const host::RunRecord& record, std::string_view what) {
  for (const std::string& w : record.warnings)
    if (w.find(what) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a parallelogram passes its flat position the same way wherever it is drawn") {
  // The crank alone, with the coupler's mass at its end and the rocker turning along: J θ¨ = −(m/2 + m + m/2) g cos θ
  // from θ = π/2, where θ˙ = 1; one turn of energy: J θ˙²/2 + 2 m g sin θ is constant, J = 2 (0.0833 + 0.25) + 1.
  const double J = 2 * (0.0833 + 0.25) + 1;
  double angle = std::acos(-1.0) / 2, rate = 1;
  const double h = 1e-5;
  for (int i = 0; i < 100000; ++i) {  // leapfrog, which errs by h² here
    rate -= 0.5 * h * 2 * 9.81 * std::cos(angle) / J;
    angle += h * rate;
    rate -= 0.5 * h * 2 * 9.81 * std::cos(angle) / J;
  }
  for (const double offset : {0.0, 500.0, 1234.5, 1e4, 1e6, 1e9, 1e12}) {
    const auto system = system_from_text(parallelogram(offset, 1));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO("formulation " << formulation->name() << " at " << offset);
      const Ran ran = run(parallelogram(offset, 1), *formulation, "D");
      INFO(ran.record.failure);
      CHECK(ran.record.end == host::End::done);
      CHECK(ran.v == Approx(rate).epsilon(1e-6));
      CHECK(ran.record.energy_drift < 1e-6);
      CHECK(ran.x == Approx(offset).margin(1e-9));
      CHECK(ran.record.warnings.empty());
    }
  }
}

TEST_CASE("energy that integration or rounding changes is not put down to a singular position that is passed") {
  // The weight acts along the far offset, so that the potential energy is 3e13 J there, known to some millijoules.
  const char* const along = "[-9.81, 0, 0]";
  const auto system = system_from_text(parallelogram(0, 1, along));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const Ran here = run(parallelogram(0, 1, along), *formulation, "D");
    const Ran far = run(parallelogram(1e12, 1, along), *formulation, "D");
    CHECK(far.v == Approx(here.v).epsilon(1e-9));
    CHECK(far.record.energy_drift > 1e-5);
    CHECK_FALSE(says(far.record, "singular position"));
    const Ran tight = run(parallelogram(0, 1), *formulation, "D");
    for (const double tolerance : {1e-4, 1e-3}) {
      const Ran loose = run(parallelogram(0, 1), *formulation, "D", tolerance);
      CHECK(loose.v == Approx(tight.v).epsilon(10 * tolerance));
      CHECK_FALSE(says(loose.record, "singular position"));
    }
  }
}

TEST_CASE("a double pendulum moves the same way wherever it is drawn") {
  const auto system = system_from_text(double_pendulum(0));
  for (const Formulation* formulation : formulations_for(*system)) {
    const Ran here = run(double_pendulum(0), *formulation, "D");
    for (const double offset : {1e4, 1e9, 1e12}) {
      INFO("formulation " << formulation->name() << " at " << offset);
      const Ran there = run(double_pendulum(offset), *formulation, "D");
      CHECK(there.record.end == host::End::done);
      CHECK(there.v == Approx(here.v).epsilon(1e-9));
      CHECK(there.kinetic == Approx(here.kinetic).epsilon(1e-9));
      CHECK(there.record.warnings.empty());
    }
  }
}

TEST_CASE("a loop that leaves a singular position on another branch, or goes straight on beside one, is told") {
  // The ground link is longer by 1e-9: the flat position is missed by some 1e-5 rad, too little for most steps to see.
  const std::string moving = parallelogram(0, 1 + 1e-9), from_rest = parallelogram(0, 1 + 1e-9, "[-9.81, 0, 0]", 0);
  for (const std::string& model : {moving, from_rest}) {
    const auto system = system_from_text(model);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO("formulation " << formulation->name() << (model == moving ? "" : " from rest"));
      const Ran ran = run(model, *formulation, "D");
      INFO(ran.record.failure);
      CHECK((ran.record.end == host::End::failed || says(ran.record, "singular position")));
    }
  }
}

// A slider-crank whose rod is longer than its crank by 1e-8 m turns onto the other branch at a right angle, within 0.1
// ms at 3 rad/s: steps of 1 ms go straight on, and leave the loop open by that much there.
TEST_CASE("fixed steps that go straight on beside a singular position are told in every formulation") {
  const double l = 1 + 1e-8, x = std::cos(0.9), y = std::sin(0.9), tilt = -std::asin(y / l),
               slide = x + l * std::cos(tilt);
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: crank, orientation: {{axis: [0, 0, 1], angle: 0.9}}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: rod, position: [{0:.17g}, {1:.17g}, 0], orientation: {{axis: [0, 0, 1], angle: {2:.17g}}}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: block, position: [{3:.17g}, 0, 0], mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
joints:
  - {{name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: 3}}}}
  - {{name: B, type: revolute, base: crank, moving: rod, position: [{0:.17g}, {1:.17g}, 0], axis: [0, 0, 1]}}
  - {{name: S, type: prismatic, base: ground, moving: block, position: [{3:.17g}, 0, 0], axis: [1, 0, 0]}}
  - {{name: C, type: revolute, base: rod, moving: block, position: [{3:.17g}, 0, 0], axis: [0, 0, 1], cut: true}}
)",
                                                   x, y, tilt, slide));
  host::RunSettings settings = test::run_settings("rk4");
  settings.duration = 0.4;
  settings.step = 0.001;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    const host::RunRecord straight = host::simulate(*system, *solver, settings, {}, {});
    CHECK((straight.end == host::End::failed || says(straight, "goes straight on")));
    host::RunSettings fine = test::run_settings();
    fine.duration = 0.4;
    CHECK_FALSE(says(host::simulate(*system, *solver, fine, {}, {}), "goes straight on"));
  }
}

// A parallelogram whose coupler is longer by 1e-6 misses its flat position by 1e-3 rad. Steps of 2e-3 rad do not
// resolve how it turns there, at t = (pi - 1)/2: what they make of it loses energy, which is told of the first passage
// on.
TEST_CASE("a singular position that is missed by less than a step is told when it is passed first") {
  const double c = std::cos(1.0), s = std::sin(1.0), coupler = 2 + 1e-6;
  // The rocker's end lies at the distance of the coupler from the crank's: Newton's method for its angle.
  double angle = 1;
  for (int i = 0; i < 20; ++i) {
    const double x = 2 + std::cos(angle) - c, y = std::sin(angle) - s;
    angle -= (x * x + y * y - coupler * coupler) / (2 * (-x * std::sin(angle) + y * std::cos(angle)));
  }
  const double ex = 2 + std::cos(angle), ey = std::sin(angle);
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: crank, orientation: {{axis: [0, 0, 1], angle: 1}}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: coupler, position: [{0:.17g}, {1:.17g}, 0], orientation: {{axis: [0, 0, 1], angle: {2:.17g}}}, mass: 1, center_of_mass: [1, 0, 0], inertia: {{xx: 0.001, yy: 0.333, zz: 0.333}}}}
  - {{name: rocker, position: [2, 0, 0], orientation: {{axis: [0, 0, 1], angle: {3:.17g}}}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
joints:
  - {{name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: 2}}}}
  - {{name: B, type: revolute, base: crank, moving: coupler, position: [{0:.17g}, {1:.17g}, 0], axis: [0, 0, 1]}}
  - {{name: D, type: revolute, base: ground, moving: rocker, position: [2, 0, 0], axis: [0, 0, 1]}}
  - {{name: C, type: revolute, base: coupler, moving: rocker, position: [{4:.17g}, {5:.17g}, 0], axis: [0, 0, 1], cut: true}}
)",
                                                   c, s, std::atan2(ey - s, ex - c), angle, ex, ey));
  host::RunSettings settings = test::run_settings("rk4");
  settings.duration = 1.5;
  settings.step = 0.001;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
    CHECK(says(record, "singular position"));
    CHECK(says(record, "t = 1.07"));
    host::RunSettings fine = test::run_settings();
    fine.duration = 1.5;
    CHECK(host::simulate(*system, *solver, fine, {}, {}).warnings.empty());
  }
}
