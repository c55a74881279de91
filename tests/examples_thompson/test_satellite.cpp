// The four-body satellite: what floats free keeps its momentum, angular momentum and energy.
#include <cmath>

#include "tests/examples_thompson/example.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Momentum and angular momentum about the ground origin.
Spatial momentum(const SystemView& view, const Observation& o) {
  Spatial sum;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const BodyData& body = view.bodies[i];
    const Mat3 R = rotation_matrix(o.bodies[i].pose.orientation);
    const Vec3 c = R * body.center_of_mass, w = o.bodies[i].angular_velocity;
    const Vec3 p = body.mass * (o.bodies[i].velocity + cross(w, c));
    sum += Spatial{rotate(R, body.inertia) * w + cross(o.bodies[i].pose.position + c, p), p};
  }
  return sum;
}

}  // namespace

TEST_CASE("the satellite with three appendages keeps momentum, angular momentum and energy as it tumbles") {
  const auto system = system_from_text(model_text("satellite"));
  CHECK(system->count_constraints().degrees_of_freedom == 12);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    Spatial first;
    double energy = 0, moved = 0;
    run_rows(*system, *solver, 20, [&](double t, const Observation& o) {
      const Spatial now = momentum(system->view(), o);
      if (t == 0) {
        first = now;
        energy = o.kinetic_energy + o.potential_energy;
      }
      CHECK(norm(now.linear - first.linear) < 1e-8 * norm(first.linear));
      CHECK(norm(now.angular - first.angular) < 1e-8 * norm(first.angular));
      CHECK(std::abs(o.kinetic_energy + o.potential_energy - energy) < 1e-8 * energy);
      moved = std::max(moved, std::abs(o.q[joint_named(system->view(), "boom_hinge").q_offset]));
    });
    CHECK(moved > 0.1);
  }
}

TEST_CASE("connected joints exchange no momentum with the outside but what the thruster gives") {
  const auto system = system_from_text(with(model_text("connected_joints"), "amplitude: 4", "amplitude: 0"));
  CHECK(system->count_constraints().degrees_of_freedom == 11);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    Spatial first;
    double before = 0;
    run_rows(*system, *solver, 5, [&](double t, const Observation& o) {
      const Spatial now = momentum(system->view(), o);
      const double energy = o.kinetic_energy + o.potential_energy;
      if (t == 0) first = now;
      CHECK(norm(now.linear - first.linear) < 1e-8);
      CHECK(norm(now.angular - first.angular) < 1e-8);
      if (t > 0) CHECK(energy < before);  // the dampers take it
      before = energy;
    });
  }
}
