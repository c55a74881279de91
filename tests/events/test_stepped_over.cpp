// Something short that no element tells: all solvers step over it alike, and a comparison finds that out.
#include <catch2/catch.hpp>

#include "framework/workbench/comparison/comparison.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/contenders.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Two balls of 0.4 kg, radii 0.03 m together, that meet at 30 m/s where t = 1.07/30 s.
host::Comparison compare_balls(const std::string& contact) {
  const auto system = system_with_switches(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: left, mass: 0.4, center_of_mass: [0, 0, 0], inertia: {xx: 0.0001, yy: 0.0001, zz: 0.0001},
     position: [0, 0, 0]}
  - {name: right, mass: 0.4, center_of_mass: [0, 0, 0], inertia: {xx: 0.0001, yy: 0.0001, zz: 0.0001},
     position: [1.1, 0, 0]}
joints:
  - {name: a, type: free, base: ground, moving: left, initial: {velocity: [15, 0, 0, 0, 0, 0]}}
  - {name: b, type: free, base: ground, moving: right, initial: {velocity: [-15, 0, 0, 0, 0, 0]}}
forces:
  - {name: touch, type: )" + contact + R"(, a: {body: left}, b: {body: right}, radii: 0.03, stiffness: 1e7}
)");
  host::RunSettings settings = test::run_settings();
  settings.duration = 0.5;
  settings.output_interval = 0.1;
  settings.step = 0.05;
  const host::HeatControl control{{20, 1u << 30}, 1, nullptr, {}};
  return host::compare(*system, able(*system), settings, host::default_agreement, control,
                       [](std::string_view) { return nullptr; });
}

}  // namespace

TEST_CASE("solvers that agree on balls that pass through each other are told of it by bounded steps") {
  const host::Comparison result = compare_balls("silent-contact");
  CHECK_FALSE(result.first);
  REQUIRE(result.bounded);
  // A ball passes its radius of gyration, √(1.5 × 0.0001 / 0.4) m, at 15 m/s.
  CHECK(result.bounded->max_step == Approx(0.019365 / 15).epsilon(0.5));
  CHECK_FALSE(result.bounded->resolved);
  CHECK(result.bounded->apart > 0.1);
  CHECK(result.bounded->time == Approx(0.1));  // the first row after they met
}

TEST_CASE("a contact that tells its events stands bounded steps") {
  const host::Comparison result = compare_balls("ball-contact");
  CHECK_FALSE(result.first);
  if (result.bounded) CHECK(result.bounded->resolved);
}
