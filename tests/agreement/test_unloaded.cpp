// Systems in which next to nothing acts, where what is left of an equation has only rounding to be compared with.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string text_of(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

/// A rotor of 1.7 kg without weight, its mass centre 0.02 m off the shaft, in two bearings of which the second repeats
/// what the first asks for.
std::string rotor(const Quat& turn, const char* second_bearing, double rate) {
  const Mat3 R = rotation_matrix(turn);
  const Vec3 place{0.31, -0.72, 1.13};
  const std::string axis = std::string(second_bearing) == "spherical" ? "" : ", axis: " + text_of(R * Vec3{1, 0, 0});
  return fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: rotor, position: {}, orientation: [{}, {}, {}, {}], mass: 1.7, center_of_mass: [0.1, 0.02, 0],
     inertia: {{xx: 0.03, yy: 0.05, zz: 0.06}}}}
joints:
  - {{name: front, type: revolute, base: ground, moving: rotor, position: {}, axis: {}, initial: {{velocity: {}}}}}
  - {{name: rear, type: {}, base: ground, moving: rotor, position: {}{}}}
)",
                     text_of(place), turn.w, turn.x, turn.y, turn.z, text_of(place + R * Vec3{0.43, 0, 0}),
                     text_of(R * Vec3{1, 0, 0}), rate, second_bearing, text_of(place + R * Vec3{-0.29, 0, 0}), axis);
}

}  // namespace

TEST_CASE("a rotor without weight in two bearings turns evenly, and they carry the force of its unbalance") {
  for (const char* second : {"revolute", "cylindrical", "spherical"})
    for (int k = 0; k < 12; ++k)
      for (const double rate : {0.0, 1e-6, 0.7, 31.0, 1e3}) {
        const Quat turn = from_rotation_vector({0.37 * k, 0.9 - 0.23 * k, 0.05 * k * k});
        const auto system = system_from_text(rotor(turn, second, rate));
        for (const Formulation* formulation : formulations_for(*system)) {
          INFO(formulation->name() << ", second bearing " << second << ", attitude " << k << ", " << rate << " rad/s");
          const auto solver = solver_for(*system, *formulation);
          host::ObservationStore store(system->view());
          const Status status = solver->observe(0, initial_vector(*system, *solver), store.now());
          INFO(solver->failure());
          REQUIRE(status == Status::ok);
          CHECK(norm(store.now().bodies[0].angular_acceleration) <= 1e-12 * rate * rate);
          // m ω² e, towards the shaft
          const Vec3 carried = store.now().reactions[0].linear + store.now().reactions[1].linear;
          const Vec3 wanted = rotation_matrix(turn) * Vec3{0, -1.7 * rate * rate * 0.02, 0};
          CHECK(norm(carried - wanted) <= 1e-11 * norm(wanted));
        }
      }
}
