// What acts and could act in a system, by closed forms.
#include <catch2/catch.hpp>

#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/scale.hpp"
#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A rotor of 4 kg between two bearings 0.6 m apart, with its mass centre midway; its radius of gyration is below 0.3
/// m.
std::string rotor(const std::string& gravity, const std::string& place) {
  return R"(
polyform: 1
gravity: )" +
         gravity + R"(
bodies:
  - {name: rotor, position: )" +
         place + R"(, mass: 4, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.03}}
joints:
  - {name: left, type: revolute, base: ground, moving: rotor, position: )" +
         place + R"(, axis: [1, 0, 0], initial: {velocity: 50}}
forces:
  - {name: strap, type: spring-damper, a: {body: ground, point: [0, 9, 0]}, b: {body: rotor, point: [0.6, 0, 0]}, stiffness: 1, free_length: 1}
)";
}

Scale scale_of(const SystemView& view, const ConstStateView& start, std::span<const Spatial> loads = {}) {
  TreeKinematics tree(view);
  tree.evaluate(start.q.data(), start.v.data(), start.eta.data(), start.etadot.data());
  return SystemScales(view).of_system(tree.frames(), loads);
}

}  // namespace

TEST_CASE("an unloaded rotor has the scale of the inertia forces that it could ask its bearings for") {
  const Assembled model(rotor("[0, 0, 0]", "[0, 0, 0]"));
  const Scale s = scale_of(model.system->view(), model.system->initial_state());
  CHECK(s.acceleration == Approx(50 * 50 * 0.3));
  CHECK(s.force == Approx(4 * 50 * 50 * 0.3));
  CHECK(s.moment == Approx(4 * 50 * 50 * 0.3 * 0.3 + 0.04 * 50 * 50));
}

TEST_CASE("a scale does not depend on the place of a system") {
  const Assembled here(rotor("[0, 0, -9.81]", "[0, 0, 0]")), far(rotor("[0, 0, -9.81]", "[1000000, 0, 0]"));
  const Scale a = scale_of(here.system->view(), here.system->initial_state());
  const Scale b = scale_of(far.system->view(), far.system->initial_state());
  CHECK(a.force == Approx(b.force).epsilon(1e-12));
  CHECK(a.energy == Approx(b.energy).epsilon(1e-12));
}

TEST_CASE("weights and loads count beside inertia forces") {
  const Assembled model(rotor("[0, 0, -10]", "[0, 0, 0]"));
  const std::vector<Spatial> load{
      {{}, {0, 0, 7}}};  // at the left bearing: a moment of 7 N × 0.3 m about the mass centre
  const Scale s = scale_of(model.system->view(), model.system->initial_state(), load);
  CHECK(s.force == Approx(4 * (10 + 50 * 50 * 0.3) + 7));
  CHECK(s.moment == Approx(0.3 * s.force + 0.04 * 50 * 50 + 7 * 0.3));
}

TEST_CASE("nothing acts on a body that flies evenly without gravity") {
  const Assembled model(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: stone, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}, velocity: [100, 0, 0]}
)");
  const Scale s = scale_of(model.system->view(), model.system->initial_state());
  CHECK(s.force == 0);
  CHECK(s.moment == 0);
  CHECK(s.energy == 0);
}
