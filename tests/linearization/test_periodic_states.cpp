// Linear models of periodic motions in body axes and Euler angles, at instants of the period.
#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/periodic_states.hpp"
#include "tests/linearization/judged.hpp"

using namespace polyform;
using namespace polyform::test;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

host::PeriodicStates along_period(const host::System& system, const Formulation& formulation, double period,
                                  std::size_t instants, const std::vector<host::Rotor>& rotors = {},
                                  const std::optional<std::string>& euler_angles = "zyx") {
  const host::OperatingPoint point = initial_point(system);
  const LinearCase at = linearize_at(system, formulation, point, {"none"}, {"none"});
  return host::periodic_states(system, maker(formulation), point, at.linear,
                               {{{}, {"none"}}, rotors, euler_angles, integrator("dop853"), period, instants});
}

Index place(const host::PeriodicStates& along, const std::string& name) {
  const auto& states = along.models.front().states;
  for (std::size_t k = 0; k < states.size(); ++k)
    if (states[k].name == name) return static_cast<Index>(k);
  throw std::invalid_argument(name);
}

/// The matrix of deviations over a period, by the classical Runge-Kutta method on the trigonometric interpolation of A.
MatrixXd map_of(const host::PeriodicStates& along) {
  const std::size_t n = along.models.size();
  const auto A = [&](double t) {
    MatrixXd sum = MatrixXd::Zero(along.A.rows(), along.A.cols());
    for (std::size_t k = 0; k < n; ++k) {
      const double x = 2 * M_PI * (t - along.times[k]) / along.period;
      double weight = 1;
      for (std::size_t h = 1; 2 * h < n; ++h) weight += 2 * std::cos(static_cast<double>(h) * x);
      if (n % 2 == 0) weight += std::cos(static_cast<double>(n / 2) * x);
      sum += weight / static_cast<double>(n) * along.models[k].A;
    }
    return sum;
  };
  constexpr int steps = 1000;
  const double h = along.period / steps;
  MatrixXd x = MatrixXd::Identity(along.A.rows(), along.A.cols());
  for (int k = 0; k < steps; ++k) {
    const MatrixXd start = A(k * h), middle = A((k + 0.5) * h), end = A((k + 1) * h);
    const MatrixXd a = start * x, b = middle * (x + h / 2 * a), c = middle * (x + h / 2 * b), d = end * (x + h * c);
    x += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return x;
}

}  // namespace

TEST_CASE("a pendulum on a shaken ball joint has two Mathieu equations in body states, at every instant") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/shaken_ball.yaml");
  const double w = 2 * M_PI * 3;
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    const host::PeriodicStates along = along_period(*system, *f, 1.0 / 3, 16);
    const Index wx = place(along, "ball.wbx"), wy = place(along, "ball.wby"), phi = place(along, "ball.angle3"),
                theta = place(along, "ball.angle2");
    for (std::size_t k = 0; k < along.models.size(); ++k) {
      const double lift = 9.81 - 0.05 * w * w * std::sin(w * along.times[k]);
      MatrixXd expected = MatrixXd::Zero(along.A.rows(), along.A.cols());
      expected(wx, phi) = -lift / 0.6;
      expected(wy, theta) = -lift / 0.62;
      expected(phi, wx) = expected(theta, wy) = expected(place(along, "ball.angle1"), place(along, "ball.wbz")) = 1;
      INFO("at " << along.times[k] << " s");
      CHECK((along.models[k].A - expected).cwiseAbs().maxCoeff() < 1e-8);
    }
    CHECK(along.A(wx, phi) == Approx(-9.81 / 0.6).epsilon(1e-9));
    CHECK(along.A_changes(wx, phi) == Approx(0.05 * w * w / 0.6).epsilon(1e-8));
  }
}

TEST_CASE("a pendulum on a shaken universal joint has two Mathieu equations in its angles and rates") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: slide, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: bob, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.3, yy: 0.2, zz: 0.1}}
joints:
  - {name: s, type: prismatic, base: ground, moving: slide, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: u, type: universal, base: slide, moving: bob, position: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0]}
constraints:
  - {name: k, type: prescribed-motion, joint: s, motion: {sine: {amplitude: 0.02, frequency: 3}}}
)");
  const double w = 2 * M_PI * 3;
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    const host::PeriodicStates along = along_period(*system, *f, 1.0 / 3, 8, {}, std::nullopt);
    REQUIRE(along.A.rows() == 4);
    const Index q0 = place(along, "u.q[0]"), q1 = place(along, "u.q[1]"), v0 = place(along, "u.v[0]"),
                v1 = place(along, "u.v[1]");
    for (std::size_t k = 0; k < along.models.size(); ++k) {
      // (J + m l²) q'' = −m l (g + s'') q about either axis.
      const double lift = 9.81 - 0.02 * w * w * std::sin(w * along.times[k]);
      MatrixXd expected = MatrixXd::Zero(4, 4);
      expected(v0, q0) = -lift / (0.3 + 2 * 0.25);
      expected(v1, q1) = -lift / (0.2 + 2 * 0.25);
      expected(q0, v0) = expected(q1, v1) = 1;
      INFO("at " << along.times[k] << " s");
      CHECK((along.models[k].A - expected).cwiseAbs().maxCoeff() < 1e-8);
    }
    CHECK(along.A_changes(v0, q0) == Approx(0.02 * w * w / 0.8).epsilon(1e-8));
  }
}

TEST_CASE("D changes along the period, too: of a guide that turns and bears the part of a force across it") {
  // At the angle 4 t of the guide it puts −F sin²(4 t) along the force on the ring.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: rod, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: ring, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: shaft, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {velocity: 4}}
  - {name: slide, type: prismatic, base: rod, moving: ring, position: [0, 0, 0], axis: [1, 0, 0]}
constraints:
  - {name: turning, type: prescribed-motion, joint: shaft, motion: {polynomial: [0, 4]}}
forces:
  - {name: spring, type: joint-spring-damper, joint: slide, stiffness: 100, damping: 1}
  - {name: push, type: point-force, body: ring, point: [0, 0, 0], axes: ground, force: [0, 0, 0]}
)");
  const Formulation& formulation = *formulations_for(*system).front();
  const host::OperatingPoint point = initial_point(*system);
  const host::LinearRequest channels{host::select_inputs(host::input_fields(system->view(), 0), {"push.force[0]"}),
                                     {"slide.fx"}};
  const host::Linearization first = host::linearize(*system, maker(formulation), point, channels);
  const double turn = 2 * M_PI / 4;
  const host::PeriodicStates along = host::periodic_states(*system, maker(formulation), point, first,
                                                           {channels, {}, {}, integrator("dop853"), turn, 6});
  for (std::size_t k = 0; k < along.models.size(); ++k) {
    const double across = std::sin(4 * along.times[k]);
    CHECK(along.models[k].D(0, 0) == Approx(-across * across).margin(1e-10));
  }
  CHECK(along.D(0, 0) == Approx(-0.5).margin(1e-10));
}

TEST_CASE("deviations in body states obey the equations along the period: their multipliers are Floquet's") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/shaken_ball.yaml");
  const Formulation& formulation = *formulations_for(*system).front();
  const MatrixXd map = map_of(along_period(*system, formulation, 1.0 / 3, 16));
  const Judged one = judged(*system, formulation, initial_point(*system));
  REQUIRE(one.stability.floquet);
  CHECK(one.stability.floquet->period == Approx(1.0 / 3).epsilon(1e-12));
  const Eigen::VectorXcd found = map.eigenvalues();
  for (const host::Multiplier& m : one.stability.floquet->multipliers) {
    double least = INFINITY;
    for (const std::complex<double>& mu : found) least = std::min(least, std::abs(mu - m.value));
    INFO(m.value);
    CHECK(least < (m.one ? 1e-3 : 1e-7));  // of a double one the eigenvalues are roots of rounding
  }
}

TEST_CASE("a rotor in flight: A in body states changes along a turn, and not in multi-blade coordinates") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: craft, mass: 50, inertia: {xx: 20, yy: 30, zz: 40}}
  - {name: hub, position: [0, 0, 0.5], mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.2}}
  - {name: b1, position: [0, 0, 0.5], mass: 1, center_of_mass: [1, 0, 0], inertia: {xx: 0.001, yy: 0.1, zz: 0.1}}
  - {name: b2, position: [0, 0, 0.5], orientation: {axis: [0, 0, 1], angle: 2.0943951023931953}, mass: 1, center_of_mass: [1, 0, 0],
     inertia: {xx: 0.001, yy: 0.1, zz: 0.1}}
  - {name: b3, position: [0, 0, 0.5], orientation: {axis: [0, 0, 1], angle: 4.1887902047863905}, mass: 1, center_of_mass: [1, 0, 0],
     inertia: {xx: 0.001, yy: 0.1, zz: 0.1}}
joints:
  - {name: flight, type: free, base: ground, moving: craft}
  - {name: shaft, type: revolute, base: craft, moving: hub, position: [0, 0, 0.5], axis: [0, 0, 1], initial: {velocity: 20}}
  - {name: flap1, type: revolute, base: hub, moving: b1, position: [0.2, 0, 0.5], axis: [0, -1, 0]}
  - {name: flap2, type: revolute, base: hub, moving: b2, position: [-0.1, 0.17320508075688773, 0.5],
     axis: [0.8660254037844386, 0.5, 0]}
  - {name: flap3, type: revolute, base: hub, moving: b3, position: [-0.1, -0.17320508075688773, 0.5],
     axis: [-0.8660254037844386, 0.5, 0]}
forces:
  - {name: k1, type: joint-spring-damper, joint: flap1, stiffness: 30, damping: 0.2}
  - {name: k2, type: joint-spring-damper, joint: flap2, stiffness: 30, damping: 0.2}
  - {name: k3, type: joint-spring-damper, joint: flap3, stiffness: 30, damping: 0.2}
)");
  const Formulation& formulation = *formulations_for(*system).back();
  const double turn = 2 * M_PI / 20;
  CHECK(along_period(*system, formulation, turn, 6).change > 0.01);
  const host::PeriodicStates seen =
      along_period(*system, formulation, turn, 6, {{"shaft", {"flap1", "flap2", "flap3"}}});
  CHECK(seen.change < 1e-9);
  place(seen, "flap.q.collective");
}

// A four-bar whose crank goes round without losses: deviations come back, or farther along, so that both multipliers
// are 1 and the mean of the trace of A vanishes. At some instants other coordinates determine the rest better.
TEST_CASE("a crank-rocker has one set of states along its period") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, position: [0, 0, 0], mass: 2, center_of_mass: [0.1, 0.02, 0], inertia: {xx: 0.01, yy: 0.05, zz: 0.05}}
  - {name: coupler, position: [0.2, 0, 0], mass: 0.8, center_of_mass: [0.35, 0.1, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  - {name: rocker, position: [0.8, 0, 0], mass: 1.1, center_of_mass: [0.15, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.03}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 9}}
  - {name: B, type: revolute, base: crank, moving: coupler, position: [0.2, 0, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: rocker, position: [0.8, 0, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: rocker, position: [0.687, 0.3837069194059445, 0], axis: [0, 0, 1]}
)");
  for (const char* const name : {"riccati", "cartesian"}) {
    INFO(name);
    const Formulation& formulation = *registry().catalog().formulations.at(name);
    const Judged whole = judged(*system, formulation, initial_point(*system));
    REQUIRE(whole.stability.floquet.has_value());
    const host::PeriodicStates along = along_period(*system, formulation, whole.stability.floquet->period, 64, {}, {});
    REQUIRE(along.A.rows() == 2);
    CHECK(std::abs(along.A.trace()) < 1e-6);
    const MatrixXd map = map_of(along);
    CHECK(map.trace() == Approx(2).epsilon(1e-5));
    CHECK(map.determinant() == Approx(1).epsilon(1e-5));
  }
}
