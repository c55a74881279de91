// Constraints between modules, and models of modules alone, in every formulation, compared with equations of their own.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <array>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::vector<const Formulation*> all_able(const host::System& system) {
  const auto all = formulations_for(system);
  CHECK(all.size() >= 6);
  return all;
}

std::unique_ptr<host::System> model(const char* file) {
  return system_from_file(std::string(POLYFORM_MODELS) + "/" + file);
}

/// Place of a number among the first-order states, by the name that results give it.
std::size_t state_named(const SystemView& view, const std::string& name) {
  for (const ModuleInstances& group : view.modules) {
    const auto u = group.type->variables(), x = group.type->states();
    for (std::size_t i = 0; i < group.names.size(); ++i) {
      for (std::size_t k = 0; k < u.size(); ++k)
        if (fmt::format("{}.{}", group.names[i], u[k].name) == name) return group.state_offset + i * u.size() + k;
      for (std::size_t k = 0; k < x.size(); ++k)
        if (fmt::format("{}.{}", group.names[i], x[k].name) == name)
          return group.state_offset + group.names.size() * u.size() + i * x.size() + k;
    }
  }
  FAIL("no state " << name);
  return 0;
}

/// Equations of two motors in series, by hand: one current, two wheels.
struct SeriesMotors {
  static constexpr double V = 24, R = 0.8, L = 0.02, k = 0.05, n = 10, J = 1e-4, c = 2e-5, wheel = 0.04;
  static constexpr std::array<double, 2> drag{0.02, 0.06};

  /// i, v of the left wheel, v of the right one.
  using State = std::array<double, 3>;
  static State rates(const State& s) {
    State out{};
    out[0] = (V - 2 * R * s[0] - k * n * (s[1] + s[2])) / (2 * L);
    for (std::size_t w = 0; w < 2; ++w)
      out[w + 1] = (n * k * s[0] - (n * n * c + drag[w]) * s[w + 1]) / (wheel + n * n * J);
    return out;
  }
  /// The state at t, by the classical Runge-Kutta method in small steps.
  static State at(double t) {
    State s{};
    const int steps = 20000;
    const double h = t / steps;
    const auto plus = [](State a, double factor, const State& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
      return a;
    };
    for (int i = 0; i < steps; ++i) {
      const State k1 = rates(s), k2 = rates(plus(s, h / 2, k1)), k3 = rates(plus(s, h / 2, k2)),
                  k4 = rates(plus(s, h, k3));
      for (std::size_t j = 0; j < s.size(); ++j) s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return s;
  }
};

host::Diagnostics errors_of(const std::string& text) {
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description read = host::read_model_text(text, "m.yaml", registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed()) host::System::assemble(std::move(read), registry().keep_alive(), diagnostics);
  return diagnostics;
}

std::string circuit(const std::string& constraints) {
  return R"(
polyform: 1
modules:
  - name: c
    type: coupled
    modules:
      - {name: a, type: circuit-branch, inductance: 1}
      - {name: b, type: circuit-branch, inductance: 2, resistance: 3, current: 1}
    constraints:
)" + constraints;
}

}  // namespace

TEST_CASE("a circuit of modules alone swings in the two modes of its closed form") {
  const auto system = model("coupled_circuits.yaml");
  REQUIRE(system->view().bodies.empty());
  const std::size_t left = state_named(system->view(), "circuit.left.charge"),
                    right = state_named(system->view(), "circuit.right.charge"),
                    current = state_named(system->view(), "circuit.between.current");
  const double L = 0.2, C = 0.01, L3 = 0.15, against = std::sqrt(1 / (L * C)),
               together = std::sqrt(1 / ((L + 2 * L3) * C));
  for (const Formulation* formulation : all_able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double worst = 0, voltage = 0, energy = 0;
    run_rows(*system, *solver, 1.0, [&](double t, const Observation& o) {
      const double sum = 0.01 * std::cos(together * t), difference = 0.02 * std::cos(against * t);
      worst = std::max({worst, std::abs(o.x[left] - (sum + difference)), std::abs(o.x[right] - (sum - difference)),
                        std::abs(o.x[current] - 2 * 0.01 * together * std::sin(together * t))});
      // On the branch between, L3 di/dt is the voltage of the node.
      voltage = std::max(
          voltage, std::abs(o.module_multipliers[0] - L3 * 2 * 0.01 * together * together * std::cos(together * t)));
      energy =
          std::max(energy, std::abs(o.kinetic_energy + o.potential_energy - (0.03 * 0.03 + 0.01 * 0.01) / (2 * C)));
    });
    CHECK(worst < 1e-9);
    CHECK(voltage < 1e-7);
    CHECK(energy < 1e-9);
  }
}

TEST_CASE("two motors in series share one current and leave each other their voltage") {
  const auto system = model("series_motors.yaml");
  const std::size_t left = state_named(system->view(), "motors.left.current"),
                    right = state_named(system->view(), "motors.right.current");
  const auto expected = SeriesMotors::at(0.8);
  for (const Formulation* formulation : all_able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double end = 0, apart = 0, rates = 0;
    run_rows(*system, *solver, 0.8, [&](double t, const Observation& o) {
      const SeriesMotors::State now{o.x[left], o.v[0], o.v[1]};
      apart = std::max(apart, std::abs(o.x[left] - o.x[right]));
      const auto by_hand = SeriesMotors::rates(now);
      rates =
          std::max({rates, std::abs(o.state_rates[left] - by_hand[0]) / 600,
                    std::abs(o.acceleration[0] - by_hand[1]) / 100, std::abs(o.acceleration[1] - by_hand[2]) / 100});
      if (t == 0.8)
        for (std::size_t i = 0; i < 3; ++i) end = std::max(end, std::abs(now[i] - expected[i]));
    });
    CHECK(apart < 1e-11);
    CHECK(rates < 1e-11);
    CHECK(end < 1e-8);
  }
}

TEST_CASE("a constraint between states of two modules is kept in positions, and moves the joints behind them") {
  // Two shafts, each between a joint of its own and a free wheel; the shafts are geared to each other: φ_a = −2 φ_b.
  const std::string text = R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: p, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.2, yy: 0.2, zz: 0.3}}
  - {name: q, position: [1, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.2}}
  - {name: r, position: [2, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: s, position: [3, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.3, yy: 0.3, zz: 0.4}}
joints:
  - {name: P, type: revolute, base: ground, moving: p, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.4, velocity: 2}}
  - {name: Q, type: revolute, base: ground, moving: q, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: R, type: revolute, base: ground, moving: r, position: [2, 0, 0], axis: [0, 0, 1]}
  - {name: S, type: revolute, base: ground, moving: s, position: [3, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: t, type: joint-force, joint: S, effort: 1.7}
modules:
  - name: train
    type: coupled
    modules:
      - {name: a, type: geared-shaft, joint: P, other_joint: Q, other_ratio: 3, inertia: 0.05}
      - {name: b, type: geared-shaft, joint: R, other_joint: S, ratio: -1, inertia: 0.02}
    constraints:
      - {name: teeth, terms: {a.angle: 1, b.angle: 2}}
)";
  const auto system = system_from_text(text);
  const std::size_t a = state_named(system->view(), "train.a.speed");
  // In the speed w of shaft a: v = (w, w/3, w/2, −w/2), shafts w and −w/2.
  const double inertia = 0.3 + 0.2 / 9 + 0.1 / 4 + 0.4 / 4 + 0.05 + 0.02 / 4, rate = 1.7 * -0.5 / inertia;
  for (const Formulation* formulation : all_able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double worst = 0, motion = 0, off = 0;
    run_rows(*system, *solver, 2, [&](double t, const Observation& o) {
      const double w = 2 + rate * t, angle = 0.4 + 2 * t + 0.5 * rate * t * t;
      worst = std::max(worst, std::abs(o.state_rates[a] - rate));
      motion = std::max({motion, std::abs(o.v[0] - w), std::abs(o.q[0] - angle), std::abs(o.q[1] - angle / 3),
                         std::abs(o.q[2] - angle / 2), std::abs(o.q[3] + angle / 2)});
      off = std::max(off, o.position_violation);
    });
    CHECK(worst < 1e-11);
    CHECK(motion < 1e-8);
    CHECK(off < 1e-10);
  }
  CHECK(require_agreement(text) >= 6);
}

TEST_CASE("a joint follows the law of its acceleration, and its effort is that of inverse dynamics") {
  // The shoulder of a double pendulum: q̈ = −16 q − 4 q̇ (closed form), whatever the elbow and gravity do.
  const auto system = model("computed_torque.yaml");
  for (const Formulation* formulation : all_able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double worst = 0, law = 0, work = 0;
    run_rows(*system, *solver, 1.5, [&](double t, const Observation& o) {
      const double w = std::sqrt(12.0), q = 0.9 * std::exp(-2 * t) * (std::cos(w * t) + 2 / w * std::sin(w * t));
      worst = std::max(worst, std::abs(o.q[0] - q));
      law = std::max(law, std::abs(o.acceleration[0] + 16 * o.q[0] + 4 * o.v[0]));
      // The elbow is free: d/dt of the angular momentum about the shoulder is the effort and the moment of the weights.
      double momentum = o.module_multipliers[0];
      for (std::size_t b = 0; b < 2; ++b) {
        const BodyData& body = system->view().bodies[b];
        const Observation::Body& now = o.bodies[b];
        const Vec3 arm = rotation_matrix(now.pose.orientation) * body.center_of_mass, r = now.pose.position + arm;
        const Vec3& omega = now.angular_velocity;
        const Vec3 a = now.acceleration + cross(now.angular_acceleration, arm) + cross(omega, cross(omega, arm));
        momentum -= body.mass * cross(r, a - Vec3{0, 0, -9.81}).y + body.inertia.yy * now.angular_acceleration.y;
      }
      work = std::max(work, std::abs(momentum));
    });
    CHECK(worst < 1e-9);
    CHECK(law < 1e-9);
    CHECK(work < 1e-10);
  }
}

TEST_CASE("formulations agree on motors in series in a closed mechanism, and in its legs") {
  for (const char* file : {"planar_3rrr_actuators.yaml", "series_motors.yaml"}) {
    const auto system = model(file);
    for (const Formulation* formulation : all_able(*system)) {
      INFO(file << ", formulation " << formulation->name());
      CHECK_NOTHROW(require_power_balance(*system, *formulation));
    }
  }
  CHECK(require_agreement(R"(
polyform: 1
gravity: [0.3, -9.81, 1]
bodies:
  - {name: crank, position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
  - {name: coupler, position: [0.5, 0.8660254037844386, 0], mass: 0.8, center_of_mass: [0.5, 0.1, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
  - {name: rocker, position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.09, zz: 0.09}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}}
  - {name: B, type: revolute, base: crank, moving: coupler, position: [0.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: coupler, moving: rocker, position: [1.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: rocker, position: [1, 0, 0], axis: [0, 0, 1]}
modules:
  - name: drive
    type: coupled
    modules:
      - {name: first, type: dc-motor, joint: A, voltage: 5, resistance: 2, inductance: 0.01, torque_constant: 0.1, back_emf_constant: 0.12, gear_ratio: 7, rotor_inertia: 0.002, friction: 0.002, current: 0.7}
      - {name: second, type: dc-motor, joint: B, voltage: -4, resistance: 1, inductance: 0.05, torque_constant: 0.3, gear_ratio: -2, rotor_inertia: 0.003, current: 0.7}
      - {name: rest, type: circuit-branch, resistance: 2, inductance: 0.02, capacitance: 0.1}
    constraints:
      - {name: node, terms: {first.current: 1, second.current: -1}}
      - {name: other node, terms: {rest.current: 1, first.current: -1}, value: {sine: {amplitude: 0.2, frequency: 1}}}
)") >= 6);
}

TEST_CASE("a coupled module within a coupled module has its numbers under both names") {
  const auto system = system_from_text(R"(
polyform: 1
modules:
  - name: outer
    type: coupled
    modules:
      - name: inner
        type: coupled
        modules:
          - {name: a, type: circuit-branch, inductance: 1, voltage: 6}
          - {name: b, type: circuit-branch, inductance: 2}
        constraints:
          - {name: node, terms: {a.current: 1, b.current: -1}}
      - {name: c, type: circuit-branch, inductance: 3}
    constraints:
      - {name: node, terms: {inner.b.current: 1, c.current: -1}}
)");
  const std::size_t current = state_named(system->view(), "outer.c.current");
  for (const Formulation* formulation : all_able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
    CHECK(store.now().state_rates[current] == Approx(1.0).epsilon(1e-12));  // 6 V at 1 + 2 + 3 H
  }
}

TEST_CASE("currents that do not fit their node at the start are moved the least") {
  const auto system = system_from_text(circuit("      - {name: node, terms: {a.current: 1, b.current: -1}}\n"));
  const ConstStateView state = system->initial_state();
  // Between 0 and 1, by inductances 1 and 2 or halfway: both are equal in the end.
  CHECK(state.x[0] == Approx(state.x[1]));
  CHECK(state.x[0] > 0.3);
  CHECK(state.x[0] < 0.7);
}

TEST_CASE("mistakes in coupled modules are named") {
  const auto first = [](const std::string& constraints) {
    const host::Diagnostics all = errors_of(circuit(constraints));
    REQUIRE(all.failed());
    return host::format(all.all().front());
  };
  CHECK_THAT(first("      - {name: n, terms: {a.curent: 1}}\n"),
             Catch::Contains("no variable 'a.curent'") && Catch::Contains("Did you mean 'a.current'?"));
  CHECK_THAT(first("      - {name: n, terms: {a.current: 1, b.charge: 1}}\n"),
             Catch::Contains("some of the terms are rates"));
  CHECK_THAT(first("      - {name: n, terms: {a.current: 0}}\n"), Catch::Contains("the factor is zero"));
  CHECK_THAT(first("      - {name: a, terms: {a.current: 1}}\n"), Catch::Contains("the name 'a' is taken"));
  CHECK_THAT(first("      []\n"), Catch::Contains("no constraint couples"));
}
