// Light bodies between heavy ones, where a formulation can lose digits and still meet its own equations.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Matchers::Contains;

TEST_CASE("a heavy body driven on a light link moves alike in every formulation, up to a ratio of 1e10") {
  for (const double mass : {1e-3, 1e0, 1e2, 1e4}) {
    INFO("heavy " << mass << " kg on a link of 1e-6 kg");
    const std::size_t compared = require_agreement(fmt::format(R"(
polyform: 1
gravity: [1, -9, 2]
bodies:
  - {{name: link, mass: 1.0e-6, center_of_mass: [0.2, 0, 0], inertia: {{xx: 1.6e-8, yy: 1.76e-8, zz: 1.92e-8}}}}
  - {{name: heavy, position: [0.5, 0.3, 0.2], mass: {0}, center_of_mass: [0, 0, 0],
     inertia: {{xx: {1}, yy: {2}, zz: {3}}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: link, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: drive, type: revolute, base: link, moving: heavy, position: [0.4, 0, 0], axis: [0, 1, 0]}}
constraints:
  - {{name: motion, type: prescribed-motion, joint: drive, motion: {{polynomial: [0, 0, -0.4]}}}}
)",
                                                               mass, 0.1 * mass, 0.11 * mass, 0.12 * mass));
    CHECK(compared > 3);
  }
}

TEST_CASE("a joint driven between light links is as prescribed, to 1e-6 of what moves beside it, or refused") {
  for (const double heavy : {1e-2, 1e0, 1e2, 1e4}) {
    const auto system = system_from_text(fmt::format(R"(
polyform: 1
gravity: [1, -9, 2]
bodies:
  - {{name: first, mass: 1.0e-6, center_of_mass: [0.2, 0, 0], inertia: {{xx: 1.6e-8, yy: 1.76e-8, zz: 1.92e-8}}}}
  - {{name: second, position: [0.4, 0.1, 0], mass: 1.0e-6, center_of_mass: [0.2, 0, 0],
     inertia: {{xx: 1.6e-8, yy: 1.76e-8, zz: 1.92e-8}}}}
  - {{name: heavy, position: [0.8, 0.3, 0.2], mass: {0}, center_of_mass: [0, 0, 0],
     inertia: {{xx: {1}, yy: {2}, zz: {3}}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: first, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: drive, type: revolute, base: first, moving: second, position: [0.4, 0.1, 0], axis: [0, 1, 0]}}
  - {{name: wrist, type: revolute, base: second, moving: heavy, position: [0.8, 0.1, 0.1], axis: [1, 0, 0]}}
constraints:
  - {{name: motion, type: prescribed-motion, joint: drive, motion: {{polynomial: [0, 0, -0.4]}}}}
forces:
  - {{name: load, type: joint-force, joint: wrist, effort: 1000}}
)",
                                                     heavy, 0.1 * heavy, 0.11 * heavy, 0.12 * heavy));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", heavy " << heavy << " kg");
      const auto solver = solver_for(*system, *formulation);
      const std::vector<double> y = initial_vector(*system, *solver);
      host::ObservationStore store(system->view());
      if (solver->observe(0, y, store.now()) == Status::ok)
        CHECK(store.now().acceleration[1] == Approx(-0.8).margin(1e-6 * std::abs(store.now().acceleration[2])));
      else
        CHECK_THAT(std::string(solver->failure()), Contains("very light body"));
    }
  }
}

TEST_CASE("bodies that have mass and inertia are not told to have none, however light they are beside others") {
  std::uint64_t seed = 11;
  const auto random = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 11) * 0x1p-53;
  };
  const auto vector = [&](double size) {
    const double x = random(), y = random(), z = random();
    return fmt::format("[{}, {}, {}]", size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
  };
  int refused = 0;
  for (int trial = 0; trial < 12; ++trial) {
    std::string bodies, joints;
    for (int i = 0; i < 60; ++i) {
      const double mass = std::pow(10, 12 * random() - 6);
      bodies += fmt::format(
          "  - {{name: b{}, position: {}, mass: {}, center_of_mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}}}\n", i,
          vector(1), mass, vector(0.5), 0.05 * mass, 0.08 * mass, 0.085 * mass);
      const int base = random() < 0.8 ? i - 1 : static_cast<int>(random() * (i + 1)) - 1;
      joints += fmt::format("  - {{name: j{}, type: revolute, base: {}, moving: b{}, position: {}, axis: {}}}\n", i,
                            base < 0 ? "ground" : fmt::format("b{}", base), i, vector(1), vector(1));
    }
    const auto system =
        system_from_text("polyform: 1\ngravity: [0.3, -9.81, 0.1]\nbodies:\n" + bodies + "joints:\n" + joints);
    for (const char* name : {"cartesian", "hierarchy"}) {
      INFO(name << ", trial " << trial);
      const auto solver = solver_for(*system, *registry().catalog().formulations.at(name));
      std::vector<double> y(solver->state_size());
      host::ObservationStore store(system->view());
      if (solver->encode(system->initial_state(), y) == Status::ok && solver->observe(0, y, store.now()) == Status::ok)
        continue;
      ++refused;
      CHECK_THAT(std::string(solver->failure()), !Contains("no mass") && Contains("little mass or inertia"));
    }
  }
  INFO(refused << " of 24 are refused");
  CHECK(refused < 12);
}

// All lengths of a chain times s, gravity too: the angular accelerations are the same.
TEST_CASE("the unit of length does not decide which chain a formulation can carry") {
  const double masses[] = {5.2e1, 1.1e-4, 3.3e5, 2.7e-6, 8.1e3, 1e-5, 4e5, 2e-2};
  const auto chain = [&](double s) {
    std::string bodies, joints, inboard = "ground";
    double x = 0;
    for (std::size_t i = 0; i < std::size(masses); ++i) {
      const double m = masses[i], length = s * (0.4 + 0.2 * static_cast<double>((i * 5) % 8));
      const double J = 0.05 * m * length * length;
      const std::string name = fmt::format("b{}", i);
      bodies += fmt::format(
          "  - {{name: {}, mass: {}, position: [{}, 0, 0], center_of_mass: [{}, 0, 0], "
          "inertia: {{xx: {}, yy: {}, zz: {}}}}}\n",
          name, m, x, 0.45 * length, 0.5 * J, J, J);
      joints += fmt::format(
          "  - {{name: j{}, type: revolute, base: {}, moving: {}, position: [{}, 0, 0], "
          "axis: [0, 0, 1], initial: {{position: {}}}}}\n",
          i, inboard, name, x, 0.3 * static_cast<double>((i * 3) % 5) - 0.6);
      x += length;
      inboard = name;
    }
    return fmt::format("polyform: 1\ngravity: [0, {}, 0]\nbodies:\n{}joints:\n{}", -9.81 * s, bodies, joints);
  };
  const auto accelerations = [](const host::System& system, const Formulation& formulation) {
    const auto solver = solver_for(system, formulation);
    std::vector<double> y(solver->state_size()), out;
    host::ObservationStore store(system.view());
    REQUIRE(solver->encode(system.initial_state(), y) == Status::ok);
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    for (const auto& body : store.now().bodies) out.push_back(body.angular_acceleration.z);
    return out;
  };
  const auto in_metres = system_from_text(chain(1));
  const std::vector<double> truth = accelerations(*in_metres, *registry().catalog().formulations.at("cartesian"));
  double most = 0;
  for (const double a : truth) most = std::max(most, std::abs(a));
  for (const double s : {1e-9, 1e-6, 1e-3, 1e6}) {
    const auto system = system_from_text(chain(s));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", lengths times " << s);
      const std::vector<double> found = accelerations(*system, *formulation);
      for (std::size_t i = 0; i < truth.size(); ++i) CHECK(std::abs(found[i] - truth[i]) < 1e-8 * most);
    }
  }
}
