// Machines that touch, shipped as examples, against closed forms, integrals of motion and published results.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::RunSettings machine_settings(double duration, double tolerance = 1e-9) {
  host::RunSettings s = run_settings("dop853");
  s.duration = duration;
  s.output_interval = duration / 10;
  s.step = duration / 1000;
  s.relative_tolerance = tolerance;
  s.absolute_tolerance = 0.01 * tolerance;
  return s;
}

std::unique_ptr<host::System> machine(const std::string& name) {
  return system_from_file(POLYFORM_MODELS "/" + name + ".yaml");
}

/// The angular momentum of the top about its mass centre, times the line from there to the point of contact over the
/// radius: Jellett's integral, which no force at that point changes.
double jellett(const Vec3& moving, const Quat& orientation, double eccentricity) {
  const Mat3 R = rotation_matrix(orientation);
  const Vec3 axis{R(0, 2), R(1, 2), R(2, 2)}, own = transpose_times(R, moving);
  const Vec3 momentum = R * Vec3{2.994285714285714e-6 * own.x, 2.994285714285714e-6 * own.y, 3.2e-6 * own.z};
  return dot(momentum, Vec3{0, 0, 1} - eccentricity * axis);
}

}  // namespace

TEST_CASE("a tippe top turns over, and Jellett's integral stays") {
  const auto system = machine("tippe_top");
  const double before = jellett({0, 0, 155}, from_rotation_vector({0.1, 0, 0}), 0.3);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, machine_settings(1.2));
    const double after = jellett(ended.angular_velocities[0], ended.orientations[0], 0.3);
    CHECK(after == Approx(before).epsilon(1e-6));
    // The mass centre, 6 mm below the middle at first, is above it.
    CHECK(ended.positions[0].z > 0.025);
    CHECK(ended.record.energy_drift < 1e-7);
  }
}

TEST_CASE("Euler's disk rolls around its mass centre at the rate of the closed form") {
  const auto system = machine("eulers_disk");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, machine_settings(0.5));
    const Vec3 start{0, 0, 0.0378 * std::sin(0.2) + 0.0064 * std::cos(0.2)};
    CHECK(norm(ended.positions[0] - start) < 1e-9);
    CHECK(ended.record.energy_drift < 1e-8);
  }
}

// The flatter it lies, the faster the point of contact goes round. Energy is kept as well as steps of 1e-9 keep it.
TEST_CASE("Euler's disk rolls by the closed form where it lies next to flat") {
  std::ifstream file(POLYFORM_MODELS "/eulers_disk.yaml");
  const std::string text(std::istreambuf_iterator<char>(file), {}), inclination = "alpha: 0.2";
  for (const double alpha : {0.01, 0.001}) {
    std::string flat = text;
    flat.replace(flat.find(inclination), inclination.size(), fmt::format("alpha: {}", alpha));
    const auto system = system_from_text(flat);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " at " << alpha);
      const Ended ended = run_to_end(*system, *formulation, machine_settings(0.05));
      CHECK(norm(ended.positions[0] - Vec3{0, 0, 0.0378 * std::sin(alpha) + 0.0064 * std::cos(alpha)}) < 1e-9);
      CHECK(ended.record.energy_drift < 1e-6);
      CHECK(ended.record.warnings.empty());
    }
  }
}

// Where its angles are small, as in the book, the period is 0.146 s, and it falls by 19.4 mm in it; with the sleeve and
// the beak where they really are, time stepping with steps of 5 µs (written apart, in Python) finds 0.13077 s and 14.51
// mm.
TEST_CASE("a woodpecker toy falls by its limit cycle") {
  const auto system = machine("woodpecker");
  const auto fallen = [&](const Formulation& formulation, double t) {
    return run_to_end(*system, formulation, machine_settings(t)).positions[0].y;
  };
  const std::vector<const Formulation*> all = formulations_for(*system);
  const double period = 0.13077;
  CHECK(fallen(*all.front(), 0.4 + 2 * period) - fallen(*all.front(), 0.4) == Approx(-2 * 0.01451).epsilon(2e-3));
  const double first = fallen(*all.front(), 0.25);
  for (const Formulation* formulation : all) {
    INFO(formulation->name());
    CHECK(fallen(*formulation, 0.25) == Approx(first).margin(1e-9));
  }
}

// Until it first strikes, the slider hangs free: the motion of a double pendulum, integrated apart by steps of 1 µs.
TEST_CASE("a slider-crank with a clearance strikes its guide alike in all formulations") {
  const auto system = machine("slider_crank_clearance");
  const std::vector<const Formulation*> all = formulations_for(*system);
  std::vector<Vec3> first;
  for (const Formulation* formulation : all) {
    INFO(formulation->name());
    const Ended free = run_to_end(*system, *formulation, machine_settings(0.0022));
    CHECK(free.angular_velocities[0].z == Approx(117.07395870521773).epsilon(1e-8));
    CHECK(free.angular_velocities[1].z == Approx(-54.278461839219005).epsilon(1e-8));
    const Ended struck = run_to_end(*system, *formulation, machine_settings(0.02));
    CHECK(struck.record.energy_drift < 1e-7);
    if (first.empty()) first = struck.positions;
    CHECK(norm(struck.positions[2] - first[2]) < 1e-8);
  }
}

// Where corners land together, an impact is passed on between them thousands of times within an instant: that is one.
TEST_CASE("the impacts of a slider-crank with a clearance are counted alike in its note and in its column") {
  const auto system = machine("slider_crank_clearance");
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  host::RunSettings settings = run_settings("dop853");
  settings.duration = 0.02;
  settings.output_interval = 1e-3;
  double impacts = 0;
  EachRow rows([&](double, const Observation& now) { impacts = now.x[now.x.size() - 2]; });
  host::RowSink* sinks[] = {&rows};
  const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
  REQUIRE(record.end == host::End::done);
  REQUIRE(record.notes.size() == 1);
  const std::string name = "`guide`: ";
  REQUIRE(record.notes[0].starts_with(name));
  CHECK(impacts > 20);
  CHECK(std::stod(record.notes[0].substr(name.size())) == impacts);
}

// The tangent of the incline is the coefficient of friction to the last digit, or a hundredth more. The block cannot
// turn, and stands on one foot: how four share a load at the limit is another question.
TEST_CASE("a block at the limit of friction stays, and beyond it slides") {
  const auto incline = [](double tangent) {
    const double angle = std::atan(tangent);
    return system_from_text(fmt::format(
        "polyform: 1\ngravity: [{:.17g}, 0, {:.17g}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
        "  - {{name: frame, mass: 1, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, position: [0, 0, 0.05]}}\n"
        "  - {{name: block, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}, position: [0, 0, 0.05],\n"
        "     geometry: [{{type: sphere, radius: 0.05}}]}}\n"
        "joints:\n  - {{name: x, type: prismatic, base: ground, moving: frame, position: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "  - {{name: z, type: prismatic, base: frame, moving: block, position: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "forces:\n  - {{name: floor, type: contact, a: block, b: ground, law: rigid, friction: {{dynamic: 0.75}}}}\n",
        9.81 * std::sin(angle), -9.81 * std::cos(angle)));
  };
  // The frame of 1 kg pulls too: 3 kg along the incline, 2 kg on it.
  const auto at_limit = incline(0.5), beyond = incline(0.505);
  for (const Formulation* formulation : formulations_for(*at_limit)) {
    INFO(formulation->name());
    CHECK(run_to_end(*at_limit, *formulation, machine_settings(3600)).positions[1].x == Approx(0).margin(1e-12));
    const double a = 9.81 * 0.005 * std::cos(std::atan(0.505));
    CHECK(run_to_end(*beyond, *formulation, machine_settings(1)).positions[1].x == Approx(0.5 * a).epsilon(1e-7));
  }
}

// m r² (1 + 2/5) ω̇ = −ρ m g: the ball comes to rest after 7 v²/(10 ρ/r g).
TEST_CASE("a ball that rolls with rolling resistance comes to rest as its moment says") {
  const std::string text =
      "polyform: 1\ngravity: [0, 0, -9.81]\nground: {geometry: [{type: plane}]}\nbodies:\n"
      "  - {name: ball, mass: 2, inertia: {xx: 0.008, yy: 0.008, zz: 0.008}, position: [0, 0, 0.1],\n"
      "     geometry: [{type: sphere, radius: 0.1}]}\n"
      "joints:\n  - {name: j, type: free, base: ground, moving: ball, initial: {velocity: [1, 0, 0, 0, 10, 0]}}\n"
      "forces:\n  - {name: floor, type: contact, a: ball, b: ground, stiffness: 1.0e+6, exponent: 1, restitution: 0.1,\n"
      "     friction: {dynamic: 0.5, velocity: 1.0e-3, rolling: 0.01}}\n";
  const auto system = system_from_text(text);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended rolling = run_to_end(*system, *formulation, machine_settings(0.5, 1e-8));
    CHECK(rolling.velocities[0].x == Approx(1 - 9.81 * 0.1 * 0.5 / 1.4).epsilon(1e-3));
    CHECK(rolling.record.energy_drift < 1e-6);
    const Ended rested = run_to_end(*system, *formulation, machine_settings(1.6, 1e-8));
    CHECK(rested.positions[0].x == Approx(0.7 / (0.1 * 9.81)).epsilon(2e-3));
    CHECK(std::abs(rested.velocities[0].x) < 1e-3);
  }
}
