// All formulations describe the same mechanics: at a given state they give the same accelerations and reactions.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/workbench/conformance/agreement.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("formulations agree on random trees with every kind of joint, in both directions") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    INFO("seed " << seed);
    CHECK(require_agreement(random_model({.seed = seed, .bodies = 3 + static_cast<int>(seed % 10)})) >= 2);
  }
}

TEST_CASE("formulations agree on long random trees") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    CHECK(require_agreement(random_model({.seed = 1000 + seed, .bodies = 200})) >= 2);
  }
}

TEST_CASE("formulations agree on several roots, a body with ten children and chains of one body") {
  const char* kinds[] = {"spherical", "revolute", "prismatic", "universal", "cylindrical",
                         "planar",    "free",     "fixed",     "helical",   "revolute"};
  std::string bodies, joints;
  const auto hang = [&](const std::string& name, const std::string& base, const std::string& kind, int k) {
    const double x = 0.3 * k, z = 0.1 * (k % 3);
    bodies += fmt::format(
        "  - {{name: {}, position: [{}, -1, {}], mass: {}, center_of_mass: [0.1, -0.4, 0.05], "
        "inertia: {{xx: 0.1, yy: 0.05, zz: 0.12, xy: 0.01}}}}\n",
        name, x, z, 1 + 0.2 * k);
    std::string more = kind == "spherical" || kind == "free" || kind == "fixed" ? "" : ", axis: [0.6, 0, 0.8]";
    if (kind == "universal" || kind == "planar") more += ", axis2: [0.8, 0, -0.6]";
    if (kind == "helical") more += ", pitch: 0.2";
    if (kind == "revolute") more += ", initial: {position: 0.4, velocity: 1.5}";
    joints += fmt::format("  - {{name: j_{}, type: {}, base: {}, moving: {}, position: [{}, 0, {}]{}}}\n", name, kind,
                          base, name, x, z, more);
  };
  hang("hub", "ground", "spherical", 1);
  hang("other", "ground", "revolute", 2);  // a second root, of one body
  hang("loose", "ground", "free", 3);
  for (int k = 0; k < 10; ++k) hang(fmt::format("child{}", k), "hub", kinds[k], k);
  hang("grandchild", "child3", "revolute", 5);
  CHECK(require_agreement("polyform: 1\nname: star\ngravity: [0, -9.81, 1]\nbodies:\n" + bodies + "joints:\n" +
                          joints) >= 2);
}

TEST_CASE("formulations that carry loops agree on random loops") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    CHECK(require_agreement(random_model({.seed = seed,
                                          .bodies = 6,
                                          .loops = 1 + static_cast<int>(seed % 3),
                                          .loops_are_redundant = seed % 2 == 0})) >= 2);
  }
}

TEST_CASE("velocities and positions of every solver's state vector follow its derivative") {
  // The observed velocities are the rates of the observed poses, the observed accelerations those of the velocities:
  // central differences along y(t).
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 5}));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO("seed " << seed << ", formulation " << formulation->name());
      const auto solver = solver_for(*system, *formulation);
      const std::vector<double> y = initial_vector(*system, *solver);
      std::vector<double> rate(y.size()), y_ahead(y.size()), y_behind(y.size());
      REQUIRE(solver->derivative(0, y, rate) == Status::ok);
      const double h = 1e-6;
      for (std::size_t i = 0; i < y.size(); ++i) {
        y_ahead[i] = y[i] + h * rate[i];
        y_behind[i] = y[i] - h * rate[i];
      }
      host::ObservationStore now(system->view()), ahead(system->view()), behind(system->view());
      REQUIRE(solver->observe(0, y_ahead, ahead.now()) == Status::ok);
      REQUIRE(solver->observe(0, y_behind, behind.now()) == Status::ok);
      REQUIRE(solver->observe(0, y, now.now()) == Status::ok);
      double worst = 0;
      for (std::size_t i = 0; i < now.now().bodies.size(); ++i) {
        const auto &a = ahead.now().bodies[i], &b = behind.now().bodies[i], &n = now.now().bodies[i];
        const auto slope = [h](const Vec3& p, const Vec3& q) { return (0.5 / h) * (p - q); };
        worst = std::max({worst, norm(slope(a.pose.position, b.pose.position) - n.velocity) / (1 + norm(n.velocity)),
                          norm(slope(a.velocity, b.velocity) - n.acceleration) / (1 + norm(n.acceleration)),
                          norm(slope(a.angular_velocity, b.angular_velocity) - n.angular_acceleration) /
                              (1 + norm(n.angular_acceleration))});
        const Vec3 turn = rotation_vector(a.pose.orientation * conjugate(b.pose.orientation));
        worst = std::max(worst, norm((0.5 / h) * turn - n.angular_velocity) / (1 + norm(n.angular_velocity)));
      }
      CHECK(worst < 1e-7);
    }
  }
}

TEST_CASE("the reactions balance the motion of every body") {
  // Newton and Euler for each body with what its joints transmit: an oracle that no formulation uses in this form.
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 8, .forces = seed % 2 == 0}));
    const SystemView& view = system->view();
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO("seed " << seed << ", formulation " << formulation->name());
      const auto solver = solver_for(*system, *formulation);
      const std::vector<double> y = initial_vector(*system, *solver);
      host::ObservationStore store(view);
      REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
      CHECK(host::newton_euler_error(view, host::State(system->initial_state()), 0, store.now()) < 1e-10);
    }
  }
}

TEST_CASE("a body without mass runs where the joints make it regular") {
  // The cross of a universal joint, written as two hinges with a body between them that weighs nothing.
  CHECK(require_agreement(R"(
polyform: 1
bodies:
  - {name: cross, mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0.1], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: a, type: revolute, base: ground, moving: cross, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
  - {name: b, type: revolute, base: cross, moving: rod, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: -2}}
)") >= 2);
}

TEST_CASE("a third party's joint works in the tree, in either direction, and closes a loop") {
  // A nut on a screw that drives a slider: the screw is the cut joint, then a tree joint.
  const std::string model = R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: spindle, position: [0, 0, 0], mass: 2, center_of_mass: [0, 0, 0.2], inertia: {xx: 0.02, yy: 0.02, zz: 0.01}}
  - {name: nut, position: [0.1, 0, 0.3], mass: 1, center_of_mass: [0.02, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: turn, type: revolute, base: ground, moving: spindle, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
  - {name: slide, type: prismatic, base: ground, moving: nut, position: [0.1, 0, 0.3], axis: [0, 0, 1]SLIDE}
  - {name: screw, type: helical, base: spindle, moving: nut, position: [0, 0, 0.3], axis: [0, 0, 1], pitch: 0.05SCREW}
)";
  const auto with = [&](const std::string& slide, const std::string& screw) {
    std::string text = model;
    text.replace(text.find("SLIDE"), 5, slide);
    text.replace(text.find("SCREW"), 5, screw);
    return text;
  };
  std::vector<double> acceleration;
  for (const auto& [slide, screw] : {std::pair<std::string, std::string>{", cut: true", ""}, {"", ", cut: true"}}) {
    const auto system = system_from_text(with(slide, screw));
    REQUIRE(system->loops() == 1);
    CHECK(system->count_constraints().degrees_of_freedom == 1);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO("formulation " << formulation->name());
      const auto solver = solver_for(*system, *formulation);
      host::ObservationStore store(system->view());
      const std::vector<double> y = initial_vector(*system, *solver);
      REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
      for (std::size_t i = 0; i < system->view().bodies.size(); ++i)
        if (system->view().bodies[i].name == "nut") {
          // The nut's rotation is held: it moves by a pitch per turn of the spindle, against its direction. Work of
          // gravity on the nut: (m + J (2π / pitch)²) a = −m g.
          const double turns = 2 * 3.14159265358979323846 / 0.05;
          CHECK(store.now().bodies[i].velocity.z == Approx(-3 / turns).epsilon(1e-12));
          CHECK(store.now().bodies[i].acceleration.z == Approx(-9.81 / (1 + 0.01 * turns * turns)).epsilon(1e-9));
        }
    }
  }
}

TEST_CASE("formulations agree on trees with a third party's joint") {
  for (const char* direction : {"base: a, moving: b", "base: b, moving: a"}) {
    INFO(direction);
    CHECK(require_agreement(
              std::string(R"(
polyform: 1
bodies:
  - {name: a, position: [0, 0, 0], mass: 1, center_of_mass: [0.3, 0.1, 0], inertia: {xx: 0.02, yy: 0.05, zz: 0.04}}
  - {name: b, position: [0.7, 0, 0.2], orientation: {rpy: [0.3, -0.5, 1]}, mass: 2, center_of_mass: [0, 0.2, 0.1], inertia: {xx: 0.05, yy: 0.03, zz: 0.06, xy: 0.005}}
joints:
  - {name: s, type: spherical, base: ground, moving: a, position: [0, 0, 0], initial: {velocity: [1, -2, 0.5]}}
  - {name: h, type: helical, )") +
              direction +
              R"(, position: [0.6, 0, 0], axis: [1, 2, -0.5], pitch: 0.3, initial: {position: 2.5, velocity: 4}}
)") >= 2);
  }
}

TEST_CASE("slender rods without axial inertia run in chains and in loops") {
  // In the plane the axial inertia does not matter: the same accelerations as with it.
  const auto four_bar = [](double axial, bool closed) {
    std::string text = "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n";
    const double points[4][2] = {{0, 0}, {0.5, 0.8}, {1.7, 1.1}, {2, 0}};
    for (int i = 0; i < 3; ++i) {
      const double x = points[i + 1][0] - points[i][0], y = points[i + 1][1] - points[i][1], length = std::hypot(x, y);
      text += fmt::format(
          "  - {{name: r{}, position: [{}, {}, 0], orientation: {{axis: [0, 0, 1], angle: {}}}, mass: 1, "
          "center_of_mass: [{}, 0, 0], inertia: {{xx: {}, yy: {}, zz: {}}}}}\n",
          i, points[i][0], points[i][1], std::atan2(y, x), length / 2, axial, length * length / 12,
          length * length / 12);
    }
    text += "joints:\n";
    for (int i = 0; i < (closed ? 4 : 3); ++i)
      text += fmt::format(
          "  - {{name: j{}, type: revolute, base: {}, moving: {}, position: [{}, {}, 0], axis: [0, 0, 1]}}\n", i,
          i == 0 ? "ground" : fmt::format("r{}", i - 1), i == 3 ? "ground" : fmt::format("r{}", i), points[i][0],
          points[i][1]);
    return text;
  };
  for (const bool closed : {false, true}) {
    const auto slender = system_from_text(four_bar(0, closed)), solid = system_from_text(four_bar(1e-3, closed));
    for (const Formulation* formulation : formulations_for(*slender)) {
      INFO("formulation " << formulation->name() << (closed ? ", closed" : ", open"));
      host::ObservationStore a(slender->view()), b(solid->view());
      for (auto [system, store] : {std::pair{slender.get(), &a}, {solid.get(), &b}}) {
        const auto solver = solver_for(*system, *formulation);
        const std::vector<double> y = initial_vector(*system, *solver);
        REQUIRE(solver->observe(0, y, store->now()) == Status::ok);
      }
      for (std::size_t i = 0; i < a.now().bodies.size(); ++i)
        CHECK(norm(a.now().bodies[i].angular_acceleration - b.now().bodies[i].angular_acceleration) < 1e-9);
    }
  }
}
