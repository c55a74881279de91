// Modules whose rows hold positions: closed forms, assembly of what is drawn apart, corrections, agreement.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81;

std::vector<const Formulation*> able(const host::System& system) {
  const auto all = formulations_for(system);
  REQUIRE(all.size() >= 2);
  return all;
}

Observation observed(const host::System& system, const Formulation& formulation, host::ObservationStore& store) {
  const auto solver = solver_for(system, formulation);
  const std::vector<double> y = initial_vector(system, *solver);
  REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
  return store.now();
}

/// The sentences of the diagnostics, and whether a system could be made.
std::pair<std::string, bool> assembled(const std::string& text) {
  host::Diagnostics diagnostics;
  bool missing = false, made = false;
  host::Description description = host::read_model_text(text, "model.yaml", registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed())
    made = host::System::assemble(std::move(description), registry().keep_alive(), diagnostics) != nullptr;
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += host::format(d) + "\n";
  return {messages, made};
}

/// A ball of 2 kg on a rod of 0.5 m, drawn out by a factor from where it circles with sin θ = 0.6, and rods of the same
/// points of other lengths.
std::string conical(double out, const std::string& more = {}) {
  return fmt::format(R"(
polyform: 1
bodies:
  - {{name: ball, position: [{}, 0, {}], mass: 2, center_of_mass: [0, 0, 0], inertia: {{xx: 0.001, yy: 0.001, zz: 0.001}}, velocity: [0, {}, 0]}}
joints:
  - {{name: flight, type: free, base: ground, moving: ball}}
modules:
  - {{name: rod, type: link, a: {{body: ground, point: [0, 0, 0]}}, b: {{body: ball, point: [0, 0, 0]}}, length: 0.5}}
)",
                     0.3 * out, -0.4 * out, 0.3 * std::sqrt(g / 0.4)) +
         more;
}

/// A weight on a slide and a wheel on a pin, geared by a shaft.
struct Rack {
  double mass = 1.3, wheel = 0.2, shaft = 0.01, n1 = 15, n2 = -4, c = 0.02;
  std::string slide = "{}", pin = "{}";

  std::string model() const {
    return fmt::format(R"(
polyform: 1
bodies:
  - {{name: wheel, mass: 5, center_of_mass: [0, 0, 0], inertia: {{xx: {}, yy: {}, zz: {}}}}}
  - {{name: weight, position: [0.2, 0, 0], mass: {}, center_of_mass: [0, 0, 0], inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1], initial: {}}}
  - {{name: slide, type: prismatic, base: ground, moving: weight, position: [0.2, 0, 0], axis: [0, 0, -1], initial: {}}}
modules:
  - {{name: gear, type: geared-shaft, joint: slide, ratio: {}, other_joint: pin, other_ratio: {}, inertia: {}, friction: {}}}
)",
                       wheel, wheel, wheel, mass, pin, slide, n1, n2, shaft, c);
  }
  double inertia() const { return mass + n1 * n1 * (shaft + wheel / (n2 * n2)); }  ///< as the slide feels it
};

}  // namespace

TEST_CASE("a ball drawn 5 cm off its rod is moved onto it and circles there") {
  const auto system = system_from_text(conical(1.1));
  const double rate = std::sqrt(g / 0.4);
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double worst = 0, off = 0, tension = 0;
    run_rows(*system, *solver, 1, [&](double t, const Observation& o) {
      worst = std::max(
          worst, norm(o.bodies[0].pose.position - Vec3{0.3 * std::cos(rate * t), 0.3 * std::sin(rate * t), -0.4}));
      off = std::max(off, o.position_violation);
      tension = std::max(tension, std::abs(o.module_multipliers[0] + 2 * g / 0.8));
    });
    CHECK(worst < 1e-8);
    CHECK(off < 1e-10);
    CHECK(tension < 1e-6);
  }
}

TEST_CASE("how far a rod is off counts among the constraints' violation") {
  const auto system = system_from_text(conical(1));
  for (const Formulation* formulation : able(*system)) {
    const auto solver = solver_for(*system, *formulation);
    if (formulation->name() == "particles") continue;  // y begins with one of the ball's particles, not with the ball
    std::vector<double> y = initial_vector(*system, *solver);
    host::ObservationStore store(system->view());
    y[0] += 0.01;  // the ball, along x, also of what joint coordinates count from: |(0.31, −0.4)| − 0.5
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    CHECK(store.now().position_violation == Approx(std::hypot(0.31, 0.4) - 0.5).epsilon(1e-12));
    Correction correction;
    REQUIRE(solver->correct(0, y, correction) == Status::ok);
    CHECK(correction.position_residual == Approx(std::hypot(0.31, 0.4) - 0.5).epsilon(1e-12));
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    CHECK(norm(store.now().bodies[0].pose.position) == Approx(0.5).epsilon(1e-13));
  }
}

TEST_CASE("rods of two lengths between the same points are refused") {
  const auto [messages, made] = assembled(
      conical(1,
              "  - {name: longer, type: link, a: {body: ground, point: [0, 0, 0]}, b: {body: ball, point: [0, 0, 0]}, "
              "length: 0.55}\n"));
  CHECK_FALSE(made);
  CHECK_THAT(messages, Catch::Contains("module `"));
  CHECK_THAT(messages, Catch::Contains("cannot be met"));
}

TEST_CASE("a rod that grows pulls its ends with it") {
  // Two equal balls without gravity: each goes half the way of ½ a t², and the rod is in compression with m a / 2.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: one, position: [0, 0, 0], mass: 3, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: two, position: [2, 0, 0], mass: 3, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: f1, type: free, base: ground, moving: one}
  - {name: f2, type: free, base: ground, moving: two}
modules:
  - {name: rod, type: link, a: {body: one, point: [0, 0, 0]}, b: {body: two, point: [0, 0, 0]}, length: 2, stretch: {polynomial: [0, 0, 0.4]}}
)");
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    run_rows(*system, *solver, 1, [&](double t, const Observation& o) {
      CHECK(o.bodies[1].pose.position.x == Approx(2 + 0.2 * t * t).epsilon(1e-11));
      CHECK(o.bodies[0].pose.position.x == Approx(-0.2 * t * t).margin(1e-11));
      CHECK(o.module_multipliers[0] == Approx(3 * 0.4).epsilon(1e-11));
      CHECK(o.position_violation < 1e-11);
    });
  }
}

TEST_CASE("a weight on a rack winds up a wheel through a shaft, and the teeth never slip") {
  // (m + n₁² (J + J_w/n₂²)) v̇ = m g − n₁² c v
  const Rack rack{.slide = "{position: 0.1}"};
  const auto system = system_from_text(rack.model());
  const double terminal = rack.mass * g / (rack.n1 * rack.n1 * rack.c), s = rack.n1 * rack.n1 * rack.c / rack.inertia();
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double slip = 0, worst = 0;
    run_rows(*system, *solver, 3, [&](double t, const Observation& o) {
      const double pin = o.q[0], slide = o.q[1], angle = o.x[1];
      slip = std::max({slip, std::abs(angle - rack.n1 * slide), std::abs(angle - rack.n2 * pin)});
      const double expected = 0.1 + terminal * (t - (1 - std::exp(-s * t)) / s);
      worst = std::max(worst, std::abs(slide - expected) / expected);
      CHECK(o.kinetic_energy == Approx(0.5 * rack.inertia() * std::pow(o.v[1], 2)).margin(1e-12));
    });
    CHECK(slip < 1e-12 * 300);
    CHECK(worst < 1e-7);
  }
}

TEST_CASE("what an initial position of one joint asks of the other is found, and what contradicts it is told") {
  const Rack free_pin{.slide = "{position: 0.2, velocity: 0.5}"};
  const auto system = system_from_text(free_pin.model());
  const ConstStateView state = system->initial_state();
  CHECK(state.q[0] == Approx(-15.0 / 4 * 0.2).epsilon(1e-13));
  CHECK(state.q[1] == Approx(0.2).epsilon(1e-14));
  CHECK(state.x[1] == Approx(3).epsilon(1e-13));
  CHECK(state.v[0] == Approx(-15.0 / 4 * 0.5).epsilon(1e-12));
  CHECK(state.x[0] == Approx(7.5).epsilon(1e-12));

  const auto [messages, made] = assembled(Rack{.slide = "{position: 0.2}", .pin = "{position: 1}"}.model());
  CHECK(made);
  CHECK_THAT(messages, Catch::Contains("module `gear` does not allow the given position of joint"));
}

TEST_CASE("given rates that a module's rows contradict are told and projected") {
  const auto [messages, made] = assembled(Rack{.slide = "{velocity: 1}", .pin = "{velocity: 1}"}.model());
  CHECK(made);
  CHECK_THAT(messages, Catch::Contains("module `gear` does not allow the given rate 1"));
}

TEST_CASE("a module without variables gives the same in every formulation that carries modules") {
  // A double pendulum whose tip a rod ties to ground: a four-bar with two bodies and a module.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0.4, -9.81, 0.2]
bodies:
  - {name: crank, mass: 1.2, center_of_mass: [0.25, 0, 0], inertia: {xx: 0.01, yy: 0.05, zz: 0.05}}
  - {name: arm, position: [0.5, 0, 0], mass: 0.7, center_of_mass: [0.3, 0.1, 0], inertia: {xx: 0.01, yy: 0.04, zz: 0.04}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0.4, velocity: 1.5}}
  - {name: B, type: spherical, base: crank, moving: arm, position: [0.5, 0, 0]}
modules:
  - {name: rod, type: link, a: {body: ground, point: [1, -0.6, 0.1]}, b: {body: arm, point: [0.6, 0, 0]}, length: 0.8}
)");
  host::ObservationStore first(system->view()), store(system->view());
  const auto all = able(*system);
  const Observation reference = observed(*system, *all[0], first);
  CHECK(reference.state().v[0] == Approx(1.5));
  for (const Formulation* formulation : all) {
    INFO("formulation " << formulation->name());
    const Observation o = observed(*system, *formulation, store);
    for (std::size_t b = 0; b < 2; ++b) {
      CHECK(norm(o.bodies[b].acceleration - reference.bodies[b].acceleration) < 1e-10);
      CHECK(norm(o.bodies[b].angular_acceleration - reference.bodies[b].angular_acceleration) < 1e-9);
    }
    CHECK(o.module_multipliers[0] == Approx(reference.module_multipliers[0]).epsilon(1e-11));
    CHECK(o.position_violation < 1e-10);
    CHECK(o.velocity_violation < 1e-10);
  }
}

TEST_CASE("the example rack starts with its teeth where the slide is, and its weight falls as its inertias let it") {
  const auto system = system_from_file(POLYFORM_MODELS "/rack_and_pinion.yaml");
  // The weight carries the shaft, 20 rad/m, and the wheel on the shaft by −1/4: 1 + (0.00327 + 0.12/16) 20² kg.
  const double fall = g / (1 + (0.00327 + 0.12 / 16) * 400);
  host::ObservationStore store(system->view());
  for (const Formulation* formulation : able(*system)) {
    INFO("formulation " << formulation->name());
    const Observation o = observed(*system, *formulation, store);
    for (const JointData& joint : system->view().joints) {
      const bool slide = joint.name == "slide";
      INFO(joint.name);
      CHECK(o.q[joint.q_offset] == Approx(slide ? 0.1 : -0.5).epsilon(1e-12));
      CHECK(o.acceleration[joint.v_offset] == Approx(slide ? fall : -fall * 20 / 4).epsilon(1e-11));
    }
    CHECK(o.position_violation < 1e-12);
  }
}
