// Residuals by rounding: refused by name if they are too large, and accepted if there is nothing else.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/hierarchy/solver_with.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

/// Hinges that all turn about one direction, pulled across it: stiff as n³.
std::string parallel_hinges(int count, double gravity) {
  return fmt::format(R"(
polyform: 1
gravity: [{0:e}, {1:e}, {2:e}]
chains:
  - name: arm
    count: {3}
    base: ground
    start: [0, 0, 0]
    step: [1, 0.3, 0.2]
    body: {{mass: 1, center_of_mass: [0.5, 0.1, 0.05], inertia: {{xx: 0.01, yy: 0.1, zz: 0.1}}}}
    joint: {{type: revolute, axis: [0, 1, 0]}}
)",
                     0.1 * gravity, 0.5 * gravity, -gravity, count);
}

/// A body at rest that hangs straight down on five links.
std::string hanging(double link, double load) {
  std::string bodies, joints;
  for (int i = 0; i < 6; ++i) {
    const double m = i < 5 ? link : load;
    bodies += fmt::format(
        "  - {{name: b{}, position: [0, 0, {}], mass: {:e}, center_of_mass: [0, 0, -0.35],\n"
        "     inertia: {{xx: {:e}, yy: {:e}, zz: {:e}}}}}\n",
        i, -0.7 * i, m, 0.1 * m, 0.11 * m, 0.12 * m);
    joints += fmt::format(
        "  - {{name: j{}, type: revolute, base: {}, moving: b{}, position: [0, 0, {}], "
        "axis: [0, 1, 0]}}\n",
        i, i == 0 ? "ground" : fmt::format("b{}", i - 1), i, -0.7 * i);
  }
  return "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n" + bodies + "joints:\n" + joints;
}

std::string failure_of(const host::System& system, const char* method) {
  const auto solver = solver_with(system, {{"method", method}});
  const std::vector<double> y = initial_vector(system, *solver);
  host::ObservationStore store(system.view());
  return solver->observe(0, y, store.now()) == Status::ok ? "" : std::string(solver->failure());
}

}  // namespace

TEST_CASE("a chain too stiff for double precision is refused by name, at any size of the accelerations") {
  for (const double gravity : {10.0, 1e-9}) {
    INFO("gravity " << gravity);
    for (const char* filter : {"udwadia-kalaba", "square-root-free"})
      CHECK_THAT(failure_of(*system_from_text(parallel_hinges(2500, gravity)), filter),
                 Contains("joint `arm[") && Contains("too stiff") && Contains("orthogonal-complement"));
    CHECK_THAT(failure_of(*system_from_text(parallel_hinges(20000, gravity)), "orthogonal-complement"),
               Contains("body `arm[") && Contains("are not met"));
  }
}

TEST_CASE("a long chain of parallel hinges moves as by the transfer matrices wherever it is not refused") {
  const Formulation& riccati = *registry().catalog().formulations.at("riccati");
  for (const auto& [count, method] :
       {std::pair{1500, "udwadia-kalaba"}, {1500, "square-root-free"}, {2500, "orthogonal-complement"}}) {
    INFO(count << " bodies, " << method);
    const auto system = system_from_text(parallel_hinges(count, 10));
    const auto expected = observe(*system, *solver_for(*system, riccati)),
               found = observe_with(*system, {{"method", method}});
    CHECK(difference(expected->now(), found->now()) < 1e-9);
  }
}

TEST_CASE("a heavy body that hangs at rest on light links stays at rest with every method") {
  for (const auto& [link, load] : {std::pair{1e-6, 1e4}, {1e-4, 1e6}, {1e-2, 1e9}, {1.0, 1.0}})
    for (const char* method : {"udwadia-kalaba", "square-root-free", "orthogonal-complement", "orthonormalization",
                               "generalized-inverse", "oblique-projector"}) {
      INFO(load << " kg on links of " << link << " kg, " << method);
      const auto system = system_from_text(hanging(link, load));
      const auto found = observe_with(*system, {{"method", method}});
      for (const Observation::Body& body : found->now().bodies) CHECK(std::abs(body.angular_acceleration.y) < 1e-7);
    }
}
