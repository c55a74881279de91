// Places written far from the ground origin: told where their numbers hold the model with few digits, and only there.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "framework/host/assembly/keeping.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/scale.hpp"
#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

/// Two rods of 1 m on pins, the first pin at x.
std::string rods(double x) {
  return fmt::format(R"(
polyform: 1
bodies:
  - {{name: a, position: [{0}, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
  - {{name: b, position: [{1}, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: first, type: revolute, base: ground, moving: a, position: [{0}, 0, 0], axis: [0, 0, 1]}}
  - {{name: second, type: revolute, base: a, moving: b, position: [{1}, 0, 0], axis: [0, 0, 1]}}
)",
                     x, x + 1);
}

}  // namespace

TEST_CASE("a model whose numbers are rounded by a part of its size says so, with joint, distance and body") {
  // A double near 1e12 is a multiple of 2^-13 m; half of that is 6.1e-5 m.
  const std::string said = Assembled(rods(1e12 + 0.3)).messages();
  CHECK_THAT(said, Contains("joint `") && Contains("1.0e+12 m from the ground origin") && Contains("6.1e-05 m") &&
                       Contains("of the size of body `"));
}

TEST_CASE("nothing is said of numbers that are exact where they are, or near enough") {
  CHECK(Assembled(rods(1e12)).messages().empty());
  CHECK(Assembled(rods(1e12 + 0.5)).messages().empty());
  CHECK(Assembled(rods(1e6 + 0.3)).messages().empty());
}

TEST_CASE("the distance between the joints of a frame link is no size of its own") {
  // Two frames without mass, each welded to a rod, 5e-13 m from the joint between them, as programs write them.
  const Assembled model(R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: a, position: [0.1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, position: [0.3, 0.2, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: on_a, position: [0.7, 0.3, 0.1], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: on_b, position: [0.7, 0.3, 0.1], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: p, type: revolute, base: ground, moving: a, position: [0.1, 0, 0], axis: [0, 1, 0]}
  - {name: q, type: spherical, base: ground, moving: b, position: [0.3, 0.2, 0]}
  - {name: frame_of_a, type: fixed, base: a, moving: on_a, position: [0.7000000000003, 0.3000000000004, 0.1]}
  - {name: frame_of_b, type: fixed, base: b, moving: on_b, position: [0.7, 0.3, 0.1]}
  - {name: weld, type: spherical, base: on_a, moving: on_b, position: [0.7000000000003, 0.3, 0.1000000000004]}
)");
  INFO(model.messages());
  CHECK_THAT(model.messages(), !Contains("ground origin"));
  // A size of 5e-13 m would call angular accelerations of 1e13 rad/s² usual, and hide all errors of any.
  const SystemView& view = model.system->view();
  const ConstStateView start = model.system->initial_state();
  TreeKinematics tree(view);
  tree.evaluate(start.q.data(), start.v.data(), start.eta.data(), start.etadot.data());
  const SystemScales scales(view);
  CHECK(scales.of_system(tree.frames()).angular_acceleration < 100);
  for (std::size_t b = 0; b < view.bodies.size(); ++b) CHECK(scales.reach(b) > 0.1);
}

TEST_CASE("of values that all contradict each other the first is kept, at one trial for each") {
  std::vector<std::size_t> all(1000);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  std::size_t trials = 0;
  std::vector<std::size_t> kept;
  const auto goes = [&](const auto& allowed) {
    trials = 0;
    return host::keep_most(all, [&](const std::vector<std::size_t>& list) {
      ++trials;
      if (!allowed(list)) return false;
      kept = list;
      return true;
    });
  };
  REQUIRE(goes([](const auto& list) { return list.size() <= 1; }));
  CHECK(kept == std::vector<std::size_t>{0});
  CHECK(trials < 1010);
  // Few contradictions take few trials: all but two go.
  REQUIRE(goes([](const auto& list) {
    return std::find(list.begin(), list.end(), 300u) == list.end() &&
           std::find(list.begin(), list.end(), 777u) == list.end();
  }));
  CHECK(kept.size() == 998);
  CHECK(trials < 60);
}
