// Modules of a type in every formulation that carries them: closed forms, energy, and the same accelerations.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A motor on a link that turns without gravity.
struct Drive {
  double V = 6, R = 1.5, L = 0.03, kt = 0.4, ke = 0.4, n = 3, J = 0.002, c = 0.004, link = 0.2, i0 = 0, v0 = 0;

  std::string model() const {
    return fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: link, mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: {}}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: link, position: [0, 0, 0], axis: [0, 0, 1], initial: {{velocity: {}}}}}
modules:
  - {{name: motor, type: dc-motor, joint: pin, voltage: {}, resistance: {}, inductance: {}, torque_constant: {},
     back_emf_constant: {}, gear_ratio: {}, rotor_inertia: {}, friction: {}, current: {}}}
)",
                       link, v0, V, R, L, kt, ke, n, J, c, i0);
  }
  double inertia() const { return link + n * n * J; }
  /// Current and speed of the link: d/dt (i, v) = A (i, v) + (V/L, 0), by the eigenvalues of A.
  std::pair<double, double> at(double t) const {
    using Complex = std::complex<double>;
    const double a = -R / L, b = -ke * n / L, d = kt * n / inertia(), e = -n * n * c / inertia();
    const double v_end = V / (ke * n + R * n * c / kt), i_end = n * c * v_end / kt;
    const Complex root = std::sqrt(Complex((a - e) * (a - e) / 4 + b * d));
    const Complex s1 = (a + e) / 2 + root, s2 = (a + e) / 2 - root;
    // exp(A t) = (e^{s1 t} (A − s2) − e^{s2 t} (A − s1)) / (s1 − s2)
    const double x = i0 - i_end, y = v0 - v_end;
    const Complex e1 = std::exp(s1 * t) / (s1 - s2), e2 = std::exp(s2 * t) / (s1 - s2);
    const Complex i = e1 * ((a - s2) * x + b * y) - e2 * ((a - s1) * x + b * y);
    const Complex v = e1 * (d * x + (e - s2) * y) - e2 * (d * x + (e - s1) * y);
    return {i_end + i.real(), v_end + v.real()};
  }
};

const char* const motors = R"(
modules:
  - {name: first, type: dc-motor, joint: A, voltage: {sine: {amplitude: 3, frequency: 2, phase: 0.3, offset: 5}}, resistance: 2, inductance: 0.01, torque_constant: 0.1, back_emf_constant: 0.12, gear_ratio: 7, rotor_inertia: INERTIA, friction: 0.002, current: 0.7}
  - {name: second, type: dc-motor, joint: B, voltage: -4, resistance: 1, inductance: 0.05, torque_constant: 0.3, gear_ratio: -2, rotor_inertia: 0.003}
)";

std::string with_motors(std::string model, const std::string& inertia) {
  std::string modules = motors;
  modules.replace(modules.find("INERTIA"), 7, inertia);
  return model + modules;
}

/// A crank with a coupler and a rocker, closed or open, A driven from ground, B between two moving bodies.
std::string crank(bool closed, const std::string& coupler_type) {
  std::string text = R"(
polyform: 1
gravity: [0.3, -9.81, 1]
bodies:
  - {name: crank, position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
  - {name: coupler, position: [0.5, 0.8660254037844386, 0], )" +
                     coupler_type + R"(}
  - {name: rocker, position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
  - {name: B, type: revolute, base: crank, moving: coupler, position: [0.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: rocker, position: [1.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
)";
  if (closed)
    text += "  - {name: D, type: revolute, base: ground, moving: rocker, position: [1, 0, 0], axis: [0, 0, 1]}\n";
  return text;
}

const char* const stiff = "mass: 0.8, center_of_mass: [0.5, 0.1, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}";
const char* const beam =
    "type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 20, modes: 2, boundary: "
    "pinned-pinned, mass: 0.2, center_of_mass: [0, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}";

std::vector<const Formulation*> able(const host::System& system) {
  const auto all = formulations_for(system);
  REQUIRE(all.size() >= 2);
  return all;
}

}  // namespace

TEST_CASE("current and speed of a motor answer to a voltage by their two eigenvalues") {
  // Real eigenvalues, a complex pair, and a start with current and speed.
  for (const Drive& drive : {Drive{}, Drive{.L = 0.5, .c = 0.01}, Drive{.L = 0.2, .ke = 0.3, .i0 = 2, .v0 = -1.5}}) {
    const auto system = system_from_text(drive.model());
    for (const Formulation* formulation : able(*system)) {
      INFO("formulation " << formulation->name() << ", inductance " << drive.L);
      const auto solver = solver_for(*system, *formulation);
      double worst = 0, balance = 0, angle = 0;
      run_rows(*system, *solver, 1.5, [&](double t, const Observation& o) {
        const auto [i, v] = drive.at(t);
        worst = std::max({worst, std::abs(o.x[0] - i), std::abs(o.v[0] - v)});
        angle = std::max(angle, std::abs(o.x[2] - drive.n * o.q[0]));
        // V i = R i² + d/dt (½ L i²) + (what drives the rotor), with k_e = k_t the torque times the speed.
        const double current = o.x[0], speed = o.x[1], rate = o.state_rates[0];
        const double torque = o.state_rates[1] * drive.J - o.module_multipliers[0] + drive.c * speed;
        CHECK(torque == Approx(drive.kt * current).margin(1e-12));
        balance = std::max(balance, std::abs(drive.V * current - drive.R * current * current -
                                             drive.L * current * rate - drive.ke / drive.kt * torque * speed));
        CHECK(o.kinetic_energy ==
              Approx(0.5 * drive.L * current * current + 0.5 * drive.inertia() * std::pow(o.v[0], 2)).margin(1e-14));
      });
      CHECK(worst < 1e-8);
      CHECK(angle < 1e-8);
      CHECK(balance < 1e-9);
    }
  }
}

TEST_CASE("a rotor of any inertia takes its share of the torque, however small") {
  // ω̇ = k_t n i / (link + n² J) of the link.
  Drive drive{.i0 = 2};
  for (const double J : {1e-2, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-18, 1e-30, 1e-100, 0.0}) {
    drive.J = J;
    const auto system = system_from_text(drive.model());
    for (const Formulation* formulation : able(*system)) {
      INFO("formulation " << formulation->name() << ", rotor inertia " << J);
      const auto solver = solver_for(*system, *formulation);
      host::ObservationStore store(system->view());
      REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
      const double expected = drive.kt * drive.n * drive.i0 / drive.inertia();
      CHECK(store.now().bodies[0].angular_acceleration.z == Approx(expected).epsilon(1e-11));
      CHECK(store.now().state_rates[1] == Approx(drive.n * expected).epsilon(1e-11));
    }
  }
}

TEST_CASE("a link without mass turns with the inertia that the rotor has through the gear") {
  // ω̇ = k_t i / (n J) of the link: all inertia is the rotor's.
  for (const double J : {1.0, 1e-1, 1e-3, 1e-6, 1e-10, 1e-14}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
bodies:
  - {{name: link, mass: 0, center_of_mass: [0, 0, 0], inertia: {{xx: 0, yy: 0, zz: 0}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: link, position: [0, 0, 0], axis: [0, 0, 1]}}
modules:
  - {{name: motor, type: dc-motor, joint: pin, voltage: 5, resistance: 1, inductance: 0.1, torque_constant: 0.1,
     gear_ratio: 3, rotor_inertia: {}, current: 2}}
)",
                                                     J));
    for (const Formulation* formulation : able(*system)) {
      INFO("formulation " << formulation->name() << ", rotor inertia " << J);
      const auto solver = solver_for(*system, *formulation);
      host::ObservationStore store(system->view());
      REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
      CHECK(store.now().bodies[0].angular_acceleration.z == Approx(0.1 * 2 / (3 * J)).epsilon(1e-11));
    }
  }
}

TEST_CASE("a motor settles at the speed where its torque is that of friction") {
  const Drive drive;
  const auto system = system_from_text(drive.model());
  for (const Formulation* formulation : able(*system)) {
    const auto solver = solver_for(*system, *formulation);
    double speed = 0;
    run_rows(*system, *solver, 6, [&](double, const Observation& o) { speed = o.x[1]; });
    CHECK(speed == Approx(drive.V / (drive.ke + drive.R * drive.c / drive.kt)).epsilon(1e-8));
  }
}

TEST_CASE("a rotor starts at the speed that its gear asks for") {
  const auto system = system_from_text(with_motors(crank(true, stiff), "0.002"));
  const ConstStateView state = system->initial_state();
  for (const Formulation* formulation : able(*system)) {
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    CHECK(store.now().velocity_violation < 1e-12);
  }
  double joint[2] = {0, 0};
  for (const JointData& j : system->view().joints)
    if (j.name == "A" || j.name == "B") joint[j.name == "A" ? 0 : 1] = state.v[j.v_offset];
  CHECK(state.x[1] == Approx(7 * joint[0]));
  CHECK(state.x[3] == Approx(-2 * joint[1]));
  CHECK(state.x[0] == 0.7);
}

TEST_CASE("formulations agree on motors in chains, in loops, on flexible bodies and without rotor inertia") {
  for (const bool closed : {false, true})
    for (const char* coupler : {stiff, beam})
      for (const char* inertia : {"0.002", "0"}) {
        INFO((closed ? "closed, " : "open, ") << coupler << ", rotor inertia " << inertia);
        CHECK(require_agreement(with_motors(crank(closed, coupler), inertia)) >= 6);
      }
}

TEST_CASE("a slender beam without a hub that is bent but little agrees beside a motor") {
  // Its inertia about its own axis is that of its deflection alone, which falls by its square.
  for (const char* deflection : {"0.03", "0.01", "0.001"}) {
    INFO("deflection " << deflection);
    CHECK(require_agreement(fmt::format(R"(
polyform: 1
gravity: [1, -5, -8]
bodies:
  - {{name: arm, mass: 1, center_of_mass: [0.1, 0.2, 0], inertia: {{xx: 0.1, yy: 0.12, zz: 0.15}}}}
  - {{name: beam, type: flexible-beam, position: [1, 0, 0], length: 1, linear_density: 1, bending_stiffness: 20, modes: 1,
     boundary: pinned-pinned, modal_position: {}, modal_velocity: 0.1}}
joints:
  - {{name: A, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 1, 1], initial: {{velocity: 1}}}}
  - {{name: B, type: spherical, base: arm, moving: beam, position: [1, 0, 0], initial: {{velocity: [0.3, 0.5, -0.4]}}}}
modules:
  - {{name: motor, type: dc-motor, joint: A, voltage: 6, resistance: 1, inductance: 0.01, torque_constant: 0.06,
     gear_ratio: 20, rotor_inertia: 1.0e-5}}
)",
                                        deflection)) >= 2);
  }
}

TEST_CASE("what motors take from their source is what the energy gains") {
  for (const char* coupler : {stiff, beam}) {
    const auto system = system_from_text(with_motors(crank(true, coupler), "0.002"));
    for (const Formulation* formulation : able(*system)) {
      INFO("formulation " << formulation->name());
      CHECK(require_power_balance(*system, *formulation) != 0);
    }
  }
}

TEST_CASE("the example arm comes to rest where its motor's torque holds it") {
  const auto system = system_from_file(POLYFORM_MODELS "/motor_arm.yaml");
  const SystemView& view = system->view();
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double current = 0, moment = 0, speed = 1;
    run_rows(*system, *solver, 10, [&](double, const Observation& o) {
      current = o.x[0];
      speed = o.x[1];
      moment = 0;
      for (std::size_t i = 0; i < view.bodies.size(); ++i) {
        const Mat3 R = rotation_matrix(o.bodies[i].pose.orientation);
        moment += view.bodies[i].mass * 9.81 * (o.bodies[i].pose.position + R * view.bodies[i].center_of_mass).x;
      }
    });
    CHECK(std::abs(speed) < 1e-3);
    CHECK(current == Approx(1.2).epsilon(1e-4));
    CHECK(moment == Approx(3.6).epsilon(1e-4));
  }
}

TEST_CASE("a motor without inductance is refused with two ways to have it, which agree") {
  // i = (V − k ω)/R: the torque 20 · 0.06 · 6 / 2 N m and the damping 20² · 0.06² / 2 N m s/rad of a gear of 20.
  const std::string arm = R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.4, yy: 0.4, zz: 0.4}}
joints:
  - {name: A, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
simulation: {integrator: cvode-bdf, tolerance: {relative: 1.0e-10, absolute: 1.0e-12}}
)";
  const auto with_motor = [&](const char* inductance) {
    return arm +
           "modules:\n  - {name: motor, type: dc-motor, joint: A, voltage: 6, resistance: 2, torque_constant: 0.06, "
           "gear_ratio: 20, inductance: " +
           inductance + "}\n";
  };
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description refused =
      host::read_model_text(with_motor("0"), "m.yaml", registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed()) host::System::assemble(std::move(refused), registry().keep_alive(), diagnostics);
  REQUIRE(diagnostics.failed());
  CHECK(host::format(diagnostics.all().front()).find("modules[0].inductance: without inductance") != std::string::npos);
  const auto speed_of = [](const std::string& text, const char* formulation) {
    const auto system = system_from_text(text);
    const auto solver = solver_for(*system, *registry().catalog().formulations.at(formulation));
    double speed = 0;
    run_rows(*system, *solver, 0.5, [&](double, const Observation& o) { speed = o.v[0]; });
    return speed;
  };
  const double torque = 20 * 0.06 * 6 / 2, damping = 400 * 0.06 * 0.06 / 2;
  const double expected = torque / damping * (1 - std::exp(-damping / 0.4 * 0.5));
  CHECK(speed_of(
            arm + fmt::format("forces:\n  - {{name: t, type: joint-force, joint: A, effort: {}}}\n  - {{name: d, type: "
                              "joint-spring-damper, joint: A, stiffness: 0, damping: {}}}\n",
                              torque, damping),
            "riccati") == Approx(expected).epsilon(1e-7));
  CHECK(speed_of(with_motor("1.0e-6"), "cartesian") == Approx(expected).epsilon(1e-5));
}

TEST_CASE("formulations that carry no modules refuse them by name") {
  const auto system = system_from_text(Drive{}.model());
  for (const auto& [name, formulation] : registry().catalog().formulations) {
    if (has(formulation->abilities(), Ability::modules)) continue;
    try {
      solver_for(*system, *formulation);
      FAIL(name << " took the model");
    } catch (const host::Failure& failure) {
      CHECK_THAT(failure.message(), Catch::Contains("module `motor` (dc-motor)"));
    }
  }
}
