// The single constraints that joints are made of, in the tree and as what closes a loop, in either direction.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

struct Kind {
  const char *type, *axes;
  std::size_t constraints;
};
constexpr Kind catalogue[] = {{"perpendicular", ", axis: [0.6, 0, 0.8], axis2: [0, 1, 0]", 1},
                              {"perpendicular", ", axis: [0.6, 0, 0.8], axis2: [0.36, 0.48, 0.8]", 1},
                              {"parallel", ", axis: [0.36, 0.48, 0.8]", 2},
                              {"point-on-line", ", axis: [0.36, 0.48, 0.8]", 2},
                              {"point-on-plane", ", axis: [0.36, 0.48, 0.8]", 1},
                              {"point-on-plane", ", axis: [0.6, 0, 0.8], axis2: [0, 1, 0]", 1}};

std::string joint(const char* name, const char* base, const char* moving, const Kind& kind, const char* more) {
  return fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}, position: [0.4, -0.2, 0.3]{}{}}}\n", name,
                     kind.type, base, moving, kind.axes, more);
}

/// A body on a revolute joint and one on a ball: what joins them stands in `between`.
std::string two_bodies(const std::string& second, const std::string& between) {
  return R"(
polyform: 1
gravity: [0.5, -1, -9.81]
bodies:
  - {name: a, position: [0.1, 0, 0], orientation: {rpy: [0.3, -0.4, 1]}, mass: 2, center_of_mass: [0.1, 0.2, 0],
     inertia: {xx: 0.1, yy: 0.2, zz: 0.15, xy: 0.01}, angular_velocity: [0.3, 0, 0]}
  - {name: b, position: [0.5, -0.3, 0.4], orientation: {rpy: [-1, 0.4, 0.2]}, mass: 1, center_of_mass: [0, -0.1, 0.1],
     inertia: {xx: 0.05, yy: 0.04, zz: 0.07}, velocity: [1, -0.5, 0.3], angular_velocity: [1, 2, -1]}
joints:
  - {name: pin, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0.6, 0.8],
     initial: {velocity: 1.2}}
)" + second +
         between +
         R"(forces:
  - {name: load, type: point-force, body: b, point: [0.1, 0.2, 0.3], force: [3, -2, 4], moment: [1, 0.5, -0.3]}
)";
}

}  // namespace

TEST_CASE(
    "every formulation carries every constraint of the catalogue, in the tree and in a loop, in both directions") {
  const std::string ball = "  - {name: ball, type: spherical, base: ground, moving: b, position: [0.9, -0.5, 0.2]}\n";
  const std::size_t all = require_agreement(two_bodies(ball, ""));
  REQUIRE(all > 3);
  for (const Kind& kind : catalogue)
    for (const bool backwards : {false, true}) {
      INFO(kind.type << kind.axes << (backwards ? ", backwards" : ""));
      const char *base = backwards ? "b" : "a", *moving = backwards ? "a" : "b";
      CHECK(require_agreement(two_bodies("", joint("tie", base, moving, kind, ""))) == all);
      CHECK(require_agreement(two_bodies(ball, joint("tie", base, moving, kind, ", cut: true"))) == all);
      // As another tree cuts the loop: the constraint in the tree, the ball cut.
      const std::string cut_ball = ball.substr(0, ball.size() - 2) + ", cut: true}\n";
      CHECK(require_agreement(two_bodies(cut_ball, joint("tie", base, moving, kind, ""))) == all);
    }
}

TEST_CASE("a constraint of the catalogue takes as many freedoms as Table 2 gives it rows") {
  for (const Kind& kind : catalogue) {
    INFO(kind.type << kind.axes);
    const auto counts = system_from_text(two_bodies("", joint("tie", "a", "b", kind, "")))->count_constraints();
    CHECK(counts.degrees_of_freedom == 1 + 6 - kind.constraints);
  }
}

TEST_CASE("spherical and perpendicular constraints make a universal joint, spherical and parallel ones a hinge") {
  // The ball carries the point, the other constraint, which closes a loop with it, the direction: same motion.
  const auto both = [](const char* axes, const char* type) {
    return fmt::format(
        "  - {{name: ball, type: spherical, base: a, moving: b, position: [0.4, -0.2, 0.3]}}\n"
        "  - {{name: tie, type: {}, base: a, moving: b, position: [0.4, -0.2, 0.3]{}, cut: true}}\n",
        type, axes);
  };
  const auto one = [](const char* axes, const char* type) {
    return fmt::format("  - {{name: ball, type: {}, base: a, moving: b, position: [0.4, -0.2, 0.3]{}}}\n", type, axes);
  };
  struct Made {
    const char *of, *joint, *axes;
  };
  for (const Made& made : {Made{"perpendicular", "universal", ", axis: [0.6, 0, 0.8], axis2: [0.36, 0.48, 0.8]"},
                           Made{"parallel", "revolute", ", axis: [0.36, 0.48, 0.8]"}}) {
    INFO(made.joint);
    const auto pair = system_from_text(two_bodies("", both(made.axes, made.of)));
    const auto single = system_from_text(two_bodies("", one(made.axes, made.joint)));
    for (const Formulation* formulation : formulations_for(*pair)) {
      INFO(formulation->name());
      host::ObservationStore a(pair->view()), b(single->view());
      for (auto [system, store] : {std::pair{pair.get(), &a}, {single.get(), &b}}) {
        const auto solver = solver_for(*system, *formulation);
        const std::vector<double> y = initial_vector(*system, *solver);
        REQUIRE(solver->observe(0, y, store->now()) == Status::ok);
      }
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(norm(a.now().bodies[i].acceleration - b.now().bodies[i].acceleration) < 1e-9);
        CHECK(norm(a.now().bodies[i].angular_acceleration - b.now().bodies[i].angular_acceleration) < 1e-9);
      }
      // Ball and tie together put on the body what the one joint does: joints 1 (and 2), 0 being the pin.
      CHECK(norm(a.now().reactions[1].linear + a.now().reactions[2].linear - b.now().reactions[1].linear) < 1e-9);
      CHECK(norm(a.now().reactions[1].angular + a.now().reactions[2].angular - b.now().reactions[1].angular) < 1e-9);
    }
  }
}
