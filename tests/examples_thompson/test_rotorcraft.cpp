// Flap and lag of hinged blades on springs against closed forms, and the rotorcraft in hover.
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/examples_thompson/blade.hpp"
#include "tests/examples_thompson/example.hpp"

using namespace polyform;
using namespace polyform::test;
using namespace polyform::test::blade;

namespace {

/// The frequency of a small oscillation, rad/s, from its first and last upward passages through zero.
double frequency(const std::string& text, const Formulation& formulation, double duration) {
  const auto system = system_from_text(text);
  const auto solver = solver_for(*system, formulation);
  const JointData& hinge = joint_named(system->view(), "hinge");
  double before = 0, first = -1, latest = 0;
  int passages = 0;
  run_rows(
      *system, *solver, duration,
      [&](double t, const Observation& o) {
        const double q = o.q[hinge.q_offset], v = o.v[hinge.v_offset];
        if (t > 0 && before < 0 && q >= 0) {
          latest = t - q / v;  // rows are so short that the oscillation is straight there
          if (first < 0) first = latest;
          ++passages;
        }
        before = q;
      },
      20000);
  REQUIRE(passages > 5);
  return 2 * std::numbers::pi * (passages - 1) / (latest - first);
}

}  // namespace

TEST_CASE("flap and lag accelerations of an offset blade on a spring are the closed forms at any angle") {
  // Flap about a hinge across the radius, lag about one along the shaft, a slender blade with first moment S:
  //   I β̈ = −Ω² (I sin β cos β + e S sin β) − k β          I ζ̈ = −Ω² e S sin ζ − k ζ
  const double k = 52000, angle = 0.3;
  for (const bool flap : {true, false}) {
    const auto system = system_from_text(model(flap, k, angle, 0));
    const auto all = formulations_for(*system);
    REQUIRE(all.size() >= 5);
    const double expected =
        flap ? -omega * omega * (I * std::sin(angle) * std::cos(angle) + e * S * std::sin(angle)) / I - k * angle / I
             : -omega * omega * e * S * std::sin(angle) / I - k * angle / I;
    for (const Formulation* formulation : all) {
      INFO((flap ? "flap, " : "lag, ") << formulation->name());
      const auto solver = solver_for(*system, *formulation);
      host::ObservationStore store(system->view());
      REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
      CHECK(store.now().acceleration[joint_named(system->view(), "hinge").v_offset] == Approx(expected).epsilon(1e-8));
    }
  }
}

TEST_CASE("flap and lag frequencies of an offset blade on a spring are the closed forms") {
  // ν² = 1 + e S / I + k / (I Ω²) in flap, e S / I + k / (I Ω²) in lag.
  const double k_flap = (1.12 * 1.12 - 1 - e * S / I) * I * omega * omega,
               k_lag = (0.7 * 0.7 - e * S / I) * I * omega * omega;
  const auto any = system_from_text(model(true, 0, 0, 0));
  const Formulation& formulation = *formulations_for(*any).back();
  CHECK(frequency(model(true, k_flap, 0, 1e-4), formulation, 2) == Approx(1.12 * omega).epsilon(1e-7));
  CHECK(frequency(model(false, k_lag, 0, 1e-4), formulation, 2) == Approx(0.7 * omega).epsilon(1e-7));
  CHECK(frequency(model(true, 0, 0, 1e-4), formulation, 2) == Approx(std::sqrt(1 + 1.5 * e / L) * omega).epsilon(1e-7));
}

TEST_CASE("the rotorcraft hovers: thrust carries the weight, the engine the torque") {
  const auto system = system_from_text(model_text("rotorcraft"));
  CHECK(system->count_constraints().degrees_of_freedom == 15);
  const SystemView& view = system->view();
  const auto solver = solver_for(*system, *formulations_for(*system).back());
  const std::size_t fuselage = body_named(view, "fuselage");
  const JointData& shaft = joint_named(view, "shaft");
  run_rows(*system, *solver, 2, [&](double, const Observation& o) {
    CHECK(norm(o.bodies[fuselage].pose.position) < 0.005);
    CHECK(norm(o.bodies[fuselage].velocity) < 0.01);
    CHECK(norm(o.bodies[fuselage].angular_velocity) < 0.01);
    CHECK(o.v[shaft.v_offset] == Approx(omega).epsilon(1e-3));
  });
}
