// The same mechanism in micrometres, metres and thousands of kilometres. The unit of length decides nothing: not which
// rows depend on others, not which reactions are unique, not how loops are assembled, and not how they move.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/assembly/dependent_rows.hpp"
#include "framework/host/simulation/observation_store.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Loops of joints that turn and of joints that slide, which start elsewhere than drawn; lengths and gravity times n.
std::string turning_and_sliding(double n) {
  const auto place = [&](double x, double y, double z) { return fmt::format("[{}, {}, {}]", n * x, n * y, n * z); };
  const auto body = [&](const char* name, const std::string& position, const std::string& center, double mass) {
    const double J = mass * n * n;
    return fmt::format(
        "  - {{name: {}, mass: {}, position: {}, center_of_mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}}}\n", name,
        mass, position, center, 0.03 * J, 0.05 * J, 0.04 * J);
  };
  const auto joint = [&](const char* name, const char* type, const char* base, const char* moving,
                         const std::string& position, const char* more) {
    return fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}, position: {}, {}}}\n", name, type, base, moving,
                       position, more);
  };
  return fmt::format("polyform: 1\ngravity: {}\nbodies:\n", place(0.5, -9.81, 1)) +
         body("a", place(-0.486, -0.401, -0.324), place(-0.026, -0.227, -0.122), 0.65) +
         body("b", place(-0.059, 0.067, 0.067), place(0.173, 0.016, -0.137), 0.72) +
         body("c", place(-0.299, -0.186, 0.639), place(0.216, 0.259, -0.081), 1.58) +
         body("d", place(0.222, 0.187, 0.299), place(0.123, 0.22, -0.043), 1.33) + "joints:\n" +
         joint("one", "universal", "ground", "a", place(-0.663, -0.675, -0.236),
               "axis: [0, 0.6, 0.8], axis2: [1, 0, 0], initial: {position: [0.2, -0.1], velocity: [0.4, -0.3]}") +
         joint("two", "parallel", "a", "b", place(0.337, -0.07, 0.326), "axis: [-0.36, 0.48, 0.8]") +
         joint("three", "cylindrical", "b", "c", place(0.086, 0.159, 0.683), "axis: [0.48, 0.64, 0.6]") +
         joint("four", "point-on-line", "c", "d", place(0.031, 0.093, 0.544), "axis: [0.8, 0, 0.6]") +
         joint("five", "point-on-line", "ground", "c", place(-0.086, -0.584, 0.922), "axis: [-0.6, -0.64, 0.48]") +
         joint("six", "revolute", "d", "b", place(-0.888, -0.036, -0.999), "axis: [0.64, -0.48, 0.6]") +
         joint("seven", "spherical", "a", "d", place(0.009, 0.282, -0.249), "cut: true");
}

}  // namespace

TEST_CASE("a mechanism moves alike in micrometres and in thousands of kilometres") {
  std::vector<double> in_metres;
  for (const double n : {1.0, 1e-6, 1e6}) {
    const auto system = system_from_text(turning_and_sliding(n));
    CHECK(host::nearly_dependent_part(system->view(), 0, system->initial_state()) == 0);
    const host::ConstraintCount count = system->count_constraints();
    CHECK(count.redundant == 0);
    CHECK(count.open.empty());
    const auto formulations = formulations_for(*system);
    CHECK(formulations.size() == 6);
    for (const Formulation* formulation : formulations) {
      INFO(formulation->name() << ", lengths times " << n);
      const auto solver = solver_for(*system, *formulation);
      std::vector<double> y(solver->state_size()), found;
      host::ObservationStore store(system->view());
      REQUIRE(solver->encode(system->initial_state(), y) == Status::ok);
      REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
      for (const Observation::Body& body : store.now().bodies)
        for (const Vec3& a : {(1 / n) * body.pose.position, (1 / n) * body.acceleration, body.angular_acceleration})
          found.insert(found.end(), {a.x, a.y, a.z});
      if (in_metres.empty()) in_metres = found;
      double most = 0, apart = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        most = std::max(most, std::abs(in_metres[i]));
        apart = std::max(apart, std::abs(found[i] - in_metres[i]));
      }
      CHECK(apart < 1e-9 * most);
    }
  }
}
