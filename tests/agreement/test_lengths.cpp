// The same mechanism in micrometres, metres and thousands of kilometres. The unit of length decides nothing: not which
// rows depend on others, not which reactions are unique, not how loops are assembled, and not how they move.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/assembly/dependent_rows.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
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

/// A planar linkage one of whose axes is tilted: it opens by about the tilt as it moves. Lengths times n; then it moves
/// as one of metres, in a time times √n.
std::string tilted_linkage(double tilt, double n = 1) {
  const auto rod = [&](const char* name, double x, double y) {
    return fmt::format("  - {{name: {}, position: [{}, {}, 0], mass: 1, inertia: {{xx: {}, yy: {}, zz: {}}}}}\n", name,
                       n * x, n * y, 0.02 * n * n, 0.1 * n * n, 0.1 * n * n);
  };
  const auto pin = [&](const char* name, const char* base, const char* moving, double x, double y,
                       const std::string& more) {
    return fmt::format("  - {{name: {}, type: revolute, base: {}, moving: {}, position: [{}, {}, 0], {}}}\n", name,
                       base, moving, n * x, n * y, more);
  };
  return "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + rod("p", 0.15, 0.5) + rod("q", 1.2, 1.3) +
         rod("r", 2.25, 0.8) + "joints:\n" +
         pin("A", "ground", "p", 0, 0, fmt::format("axis: [0, 0, 1], initial: {{velocity: {}}}", 1 / std::sqrt(n))) +
         pin("B", "p", "q", 0.3, 1, "axis: [0, 0, 1]") +
         pin("C", "q", "r", 2.1, 1.6, fmt::format("axis: [{:.17g}, 0, {:.17g}]", std::sin(tilt), std::cos(tilt))) +
         pin("D", "r", "ground", 2.4, 0, "axis: [0, 0, 1]");
}

/// The angular velocities of the bodies in the last row.
struct LastTurns final : host::RowSink {
  std::vector<Vec3> rates;
  void row(double, const Observation& now) override {
    rates.clear();
    for (const Observation::Body& body : now.bodies) rates.push_back(body.angular_velocity);
  }
};

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

// The least tilt that keeps such a linkage from moving is far larger than what digits of a file leave: it is taken as
// dependent, and the loop comes open by the tilt.
TEST_CASE("a run that an axis tilted by rounding ends tells that cause") {
  host::RunSettings settings = run_settings("dopri5");
  settings.duration = 1;
  settings.output_interval = 1;
  for (const double tilt : {1e-9, 1e-8}) {
    const auto system = system_from_text(tilted_linkage(tilt));
    for (const Formulation* const formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", tilt " << tilt);
      const auto solver = solver_for(*system, *formulation);
      const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
      REQUIRE(record.end == host::End::failed);
      CHECK_THAT(record.failure, Catch::Contains("The cause is likely the model: what joint `C` constrains") &&
                                     !Catch::Contains("limit position"));
      CHECK_THAT(record.remedy, Catch::Contains("tolerance="));
    }
  }
}

TEST_CASE("a linkage with an axis tilted by rounding moves as one without, its loop open by the tilt") {
  host::RunSettings settings = run_settings("dopri5");
  settings.duration = 5;
  settings.output_interval = 5;
  const auto straight = system_from_text(tilted_linkage(0));
  CHECK(host::opening_of_loops(*straight) == 0);
  const auto end_of = [&](const host::System& system, const Formulation& formulation, const SolverOptions& options) {
    const auto solver = solver_for(system, formulation, options);
    LastTurns last;
    host::RowSink* sinks[] = {&last};
    const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    CHECK(record.energy_drift < 1e-6);
    return last.rates;
  };
  const std::vector<Vec3> truth = end_of(*straight, *registry().catalog().formulations.at("thompson"), {});
  for (const double tilt : {1e-9, 1e-8, 1e-7}) {
    const auto system = system_from_text(tilted_linkage(tilt));
    const double opening = host::opening_of_loops(*system);
    CHECK(opening > tilt);
    for (const Formulation* const formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", tilt " << tilt);
      const auto end = end_of(*system, *formulation, {{"tolerance", fmt::format("{}", opening)}});
      REQUIRE(end.size() == truth.size());
      for (std::size_t i = 0; i < end.size(); ++i) CHECK(norm(end[i] - truth[i]) < 1e-4);
    }
  }
}

TEST_CASE("the opening that a tilted axis asks for grows with the lengths and the rates of the linkage") {
  constexpr double tilt = 1e-10;
  std::vector<Vec3> truth;
  for (const double n : {1.0, 1e3, 1e-6}) {
    host::RunSettings settings = run_settings("dop853");
    settings.duration = settings.output_interval = 2 * std::sqrt(n);
    const auto system = system_from_text(tilted_linkage(tilt, n));
    const std::string opening = fmt::format("{}", host::opening_of_loops(*system));
    for (const Formulation* const formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", lengths times " << n << ", opening " << opening);
      const auto solver = solver_for(*system, *formulation, {{"tolerance", opening}});
      LastTurns last;
      host::RowSink* sinks[] = {&last};
      const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
      INFO(record.failure);
      REQUIRE(record.end == host::End::done);
      for (Vec3& rate : last.rates) rate = std::sqrt(n) * rate;
      if (truth.empty()) truth = last.rates;
      REQUIRE(last.rates.size() == truth.size());
      for (std::size_t i = 0; i < truth.size(); ++i) CHECK(norm(last.rates[i] - truth[i]) < 1e-5);
    }
  }
}
