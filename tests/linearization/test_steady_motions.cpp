// Verdicts on motions that run along symmetries: spins, turns and circles, against closed forms.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/linearization/judged.hpp"

using namespace polyform;
using namespace polyform::test;
using host::Outlook;
using Complex = std::complex<double>;

namespace {

/// Three unequal moments of inertia, in an oblique position; spin in the axes of the body.
std::unique_ptr<host::System> book(const std::string& joint, const Vec3& spin) {
  const double s = std::sin(0.4) / std::sqrt(14.0);
  const Vec3 w = rotation_matrix(Quat{std::cos(0.4), s, 2 * s, 3 * s}) * spin;
  return system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: book, mass: 3, orientation: {{axis: [1, 2, 3], angle: 0.8}}, inertia: {{xx: 1.2, yy: 2.1, zz: 2.9}}, angular_velocity: [{:.17g}, {:.17g}, {:.17g}]}}
joints:
  - {{name: j, type: {}, base: ground, moving: book{}}}
)",
                                      w.x, w.y, w.z, joint, joint == "free" ? "" : ", position: [0, 0, 0]"));
}

/// The aircraft of the model in its own axes, by Euler's equations: x = (u, v, w, p, q, r, φ, θ), z down.
Eigen::VectorXd aircraft(const Eigen::VectorXd& x, const double* control, double thrust) {
  const double mass = 1247.4, S = 17.094, chord = 1.7374, b = 10.18, rho = 1.225, g = 9.80665;
  const double Ix = 1420.9, Iy = 4067.5, Iz = 4786.0;
  const double u = x[0], v = x[1], w = x[2], p = x[3], q = x[4], r = x[5], phi = x[6], theta = x[7];
  const double V = std::sqrt(u * u + v * v + w * w), alpha = std::atan2(w, u), beta = std::asin(v / V);
  const double Q = 0.5 * rho * V * V * S, ph = p * b / (2 * V), qh = q * chord / (2 * V), rh = r * b / (2 * V);
  const double CL = 0.4059926052215245 + 4.44 * alpha + 3.8 * qh + 0.355 * control[0], CD = 0.05 + 0.33 * alpha;
  const double X = Q * (CL * std::sin(alpha) - CD * std::cos(alpha)) + thrust;
  const double Y = Q * (-0.564 * beta + 0.157 * control[2]);
  const double Z = Q * (-CL * std::cos(alpha) - CD * std::sin(alpha));
  const double L = Q * b * (-0.074 * beta - 0.410 * ph + 0.107 * rh - 0.134 * control[1] + 0.107 * control[2]);
  const double M = Q * chord * (-0.683 * alpha - 14.32 * qh - 0.923 * control[0]);
  const double N = Q * b * (0.071 * beta - 0.0575 * ph - 0.125 * rh - 0.0035 * control[1] - 0.072 * control[2]);
  Eigen::VectorXd out(8);
  out << r * v - q * w - g * std::sin(theta) + X / mass, p * w - r * u + g * std::sin(phi) * std::cos(theta) + Y / mass,
      q * u - p * v + g * std::cos(phi) * std::cos(theta) + Z / mass, (L + (Iy - Iz) * q * r) / Ix,
      (M + (Iz - Ix) * p * r) / Iy, (N + (Ix - Iy) * p * q) / Iz,
      p + std::tan(theta) * (q * std::sin(phi) + r * std::cos(phi)), q * std::cos(phi) - r * std::sin(phi);
  return out;
}

}  // namespace

TEST_CASE("a body that spins about its intermediate axis is unstable at Euler's rate, about the others neutral") {
  const double J[] = {1.2, 2.1, 2.9}, W = 3.7;
  for (const char* joint : {"spherical", "free"})
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vec3 spin;
      spin[axis] = W;
      const double a = J[axis], b = J[(axis + 1) % 3], c = J[(axis + 2) % 3];
      const Complex expected = std::sqrt(Complex(W * W * (a - b) * (c - a) / (b * c)));
      const auto system = book(joint, spin);
      for (const Judged& j : judge_all(*system)) {
        INFO(joint << ", axis " << axis << ", " << j.formulation->name() << ": " << j.stability.why);
        CHECK(j.stability.modes_of == host::ModesOf::motion);
        CHECK(j.stability.verdict == (axis == 1 ? Outlook::unstable : Outlook::neutral));
        CHECK(distance_to(j.stability.modes, expected) < 1e-9 * W);
      }
    }
}

TEST_CASE("a top in steady precession is neutral, and nutates at the curvature of its effective potential") {
  // V = (p_phi - p_psi cos θ)² / (2 I1 sin² θ) + m g l cos θ about the pivot; steady: V' = 0.
  const double m = 1.4, l = 0.25, I1 = 0.02 + m * l * l, I3 = 0.006, theta = 0.9, turn = 1.7, mgl = m * 9.81 * l;
  const double c = std::cos(theta), s = std::sin(theta), w3 = (mgl + I1 * turn * turn * c) / (I3 * turn);
  const double b = I3 * w3, a = I1 * turn * s * s + b * c, u = (a - b * c) / s;
  const double first = b - u * c / s, second = -first * c / s + u / (s * s);
  const double nutation = std::sqrt((first * first + u * second) / (I1 * I1) - mgl * c / I1);
  const double spin = w3 - turn * c;
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: top, orientation: {{axis: [0, 1, 0], angle: {}}}, mass: {}, center_of_mass: [0, 0, {}], inertia: {{xx: 0.02, yy: 0.02, zz: {}}}, angular_velocity: [{:.17g}, 0, {:.17g}]}}
joints:
  - {{name: tip, type: spherical, base: ground, moving: top, position: [0, 0, 0]}}
)",
                                                   theta, m, l, I3, spin * s, turn + spin * c));
  for (const Judged& j : judge_all(*system)) {
    INFO(j.formulation->name() << ": " << j.stability.why);
    CHECK(j.stability.verdict == Outlook::neutral);
    CHECK(j.stability.modes.zero_eigenvalues == 4);
    CHECK(distance_to(j.stability.modes, {0, nutation}) < 1e-8 * nutation);
  }
}

TEST_CASE("a disc rolls straight on above its critical speed and falls below it, at the rate of the closed form") {
  // with the spin w: lambda² = -(C (C + m r²) w² - A m g r) / (A (A + m r²))
  const double A = 0.125, C = 0.25, mr2 = 0.5, mgr = 2 * 9.81 * 0.5, critical = std::sqrt(A * mgr / (C * (C + mr2)));
  for (const double w : {0.98 * critical, 1.02 * critical}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {{name: disc, position: [0, 0, 0.5], mass: 2, inertia: {{xx: 0.125, yy: 0.25, zz: 0.125}}, velocity: [{:.17g}, 0, 0], angular_velocity: [0, {:.17g}, 0]}}
constraints:
  - {{name: contact, type: rolling-disc, body: disc, axis: [0, 1, 0], radius: 0.5}}
)",
                                                     0.5 * w, w));
    const Complex expected = std::sqrt(Complex(-(C * (C + mr2) * w * w - A * mgr) / (A * (A + mr2))));
    for (const Judged& j : judge_all(*system)) {
      INFO(w << ", " << j.formulation->name() << ": " << j.stability.why);
      CHECK(j.stability.verdict == (w < critical ? Outlook::unstable : Outlook::neutral));
      CHECK(distance_to(j.stability.modes, expected) < 1e-8);
    }
  }
}

TEST_CASE("a disc that rolls in a circle is neutral, and so are the multipliers of a time round") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/rolling_disc.yaml");
  const double round = 5.401476722956445;
  double swing = 0;
  for (const Judged& j : judge_all(*system)) {
    INFO(j.formulation->name() << ": " << j.stability.why);
    CHECK(j.stability.verdict == Outlook::neutral);
    CHECK(j.stability.modes_of == host::ModesOf::motion);
    swing = j.stability.modes.all.back().eigenvalue.imag();
    CHECK(swing == Approx(5.5946581).epsilon(1e-6));
  }
  const Judged whole =
      judged(*system, *formulations_for(*system).front(), initial_point(*system), {{}, round, {}, false, {}});
  REQUIRE(whole.stability.floquet);
  CHECK(whole.stability.verdict == Outlook::neutral);
  Complex expected = std::exp(Complex(0, swing * round));
  if (expected.imag() < 0) expected = std::conj(expected);
  double nearest = 1;
  for (const host::Multiplier& mu : whole.stability.floquet->multipliers)
    nearest = std::min(nearest, std::abs(mu.value - expected));
  CHECK(nearest < 1e-7);
}

TEST_CASE("an aircraft is trimmed in a coordinated turn and has the modes of its equations in body axes") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/coordinated_turn.yaml");
  for (const Formulation* f : formulations_for(*system)) {
    INFO(f->name());
    host::EquilibriumRequest request;
    request.steady = true;
    request.trimmed = host::select_inputs(host::input_fields(system->view(), 0), {"air.controls", "thrust.force[0]"});
    const host::Equilibrium found = host::find_equilibrium(*system, maker(*f), request);
    REQUIRE(found.balanced);
    TreeKinematics tree(system->view());
    const host::CanonicalState& s = found.point.state;
    tree.evaluate(s.q.data(), s.v.data());
    const Mat3 R = tree.bodies()[0].R;
    const Vec3 v = transpose_times(R, Vec3{s.v[0], s.v[1], s.v[2]}),
               w = transpose_times(R, Vec3{s.v[3], s.v[4], s.v[5]});
    Eigen::VectorXd x(8);  // ground z is up
    x << v.x, v.y, v.z, w.x, w.y, w.z, std::atan2(-R(2, 1), -R(2, 2)), std::asin(R(2, 0));
    double controls[4];
    for (std::size_t k = 0; k < 4; ++k) controls[k] = request.trimmed[k].value + found.point.offsets[k];
    CHECK(aircraft(x, controls, controls[3]).norm() < 1e-7);
    CHECK(x[6] == Approx(std::atan(53.645 * 0.1 / 9.80665)).epsilon(0.02));
    Eigen::MatrixXd A(8, 8);
    for (Eigen::Index k = 0; k < 8; ++k) {
      const double h = k < 3 ? 1e-3 : 1e-5;
      Eigen::VectorXd step = Eigen::VectorXd::Zero(8);
      step[k] = h;
      A.col(k) = (aircraft(x + step, controls, controls[3]) - aircraft(x - step, controls, controls[3])) / (2 * h);
    }
    const Judged j = judged(*system, *f, found.point);
    INFO(j.stability.why);
    CHECK(j.stability.verdict == Outlook::neutral);
    CHECK(j.stability.modes_of == host::ModesOf::motion);
    for (const Complex value : A.eigenvalues())
      if (value.imag() >= 0) CHECK(distance_to(j.stability.modes, value) < 1e-6);
  }
}

TEST_CASE("a circling body in a plane has its epicycles however it spins") {
  // k/m = 50, free length half the radius: Ω² = 25, and 3 Ω² + k/m of the radial swing.
  for (const double spin : {0.0, 2.0, 5.0, -3.0}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: b, position: [1, 0, 0], mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}, velocity: [0, 5, 0], angular_velocity: [0, 0, {}]}}
joints: [{{name: j, type: planar, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0]}}]
forces: [{{name: s, type: spring-damper, a: {{body: b}}, b: {{body: ground}}, stiffness: 50, free_length: 0.5}}]
)",
                                                     spin));
    for (const Judged& j : judge_all(*system)) {
      INFO(spin << ", " << j.formulation->name() << ": " << j.stability.why);
      CHECK(j.stability.verdict == Outlook::neutral);
      CHECK(j.stability.modes_of == host::ModesOf::motion);
      CHECK(distance_to(j.stability.modes, {0, std::sqrt(125.0)}) < 1e-8);
    }
  }
}

TEST_CASE("a push that lets a spinning body drift is told as what it is") {
  const auto system = book("free", {3.7, 0, 0});
  for (const Judged& j : judge_all(*system)) {
    INFO(j.formulation->name());
    CHECK(j.stability.verdict == Outlook::neutral);
    CHECK_THAT(j.stability.text, Catch::Contains("drift on at constant speed") && Catch::Contains("3.7 rad/s"));
  }
}
