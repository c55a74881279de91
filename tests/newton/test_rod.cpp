// The stiff rod: pieces with hinge springs, clamped at one end.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "framework/host/simulation/simulate.hpp"
#include "newton_check.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Unit length and mass; hinge springs of 10 n N m/rad with a thousandth of a second of damping.
std::string rod(int n) {
  const double length = 1.0 / n, inertia = length * length * length / 12, stiffness = 10.0 * n;
  std::string text = fmt::format(R"(polyform: 1
name: rod
gravity: [0, -9.81, 0]
chains:
  - name: rod
    count: {}
    base: ground
    start: [0, 0, 0]
    step: [{}, 0, 0]
    joint: {{type: revolute, axis: [0, 0, 1]}}
    body: {{mass: {}, center_of_mass: [{}, 0, 0], inertia: {{xx: 0, yy: {}, zz: {}}}}}
forces:
)",
                                 n, length, length, length / 2, inertia, inertia);
  for (int i = 0; i < n; ++i)
    text += fmt::format(
        "  - {{name: s{0}, type: joint-spring-damper, joint: \"rod[{0}].joint\", stiffness: {1}, damping: {2}}}\n", i,
        stiffness, 1e-3 * stiffness);
  return text;
}

struct Run {
  host::RunRecord record;
  Vec3 tip;
  std::vector<double> y;  ///< coordinates, then velocities, at the end
};

class LastTip final : public host::RowSink {
 public:
  void row(double, const Observation& now) override {
    tip = now.bodies.back().pose.position;
    y.assign(now.q.begin(), now.q.end());
    y.insert(y.end(), now.v.begin(), now.v.end());
  }
  Vec3 tip;
  std::vector<double> y;
};

Run run(int n, std::string_view integrator, double tolerance, double duration = 0.5) {
  const auto system = system_from_text(rod(n));
  for (const Formulation* f : formulations_for(*system)) {
    if (f->name() != "riccati") continue;
    const auto solver = solver_for(*system, *f);
    host::RunSettings settings = run_settings(integrator);
    settings.duration = duration;
    settings.output_interval = duration;
    settings.relative_tolerance = tolerance;
    settings.absolute_tolerance = tolerance / 100;
    LastTip last;
    host::RowSink* const sinks[] = {&last};
    const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    return {record, last.tip, last.y};
  }
  FAIL("riccati is not there");
  return {};
}

}  // namespace

TEST_CASE("a stiff rod takes as many evaluations whatever the number of its pieces") {
  for (const char* integrator : {"radau5", "cvode-bdf"}) {
    INFO(integrator);
    const Run few = run(20, integrator, 1e-4), many = run(160, integrator, 1e-4);
    CHECK(few.record.evaluations < 4000);
    CHECK(many.record.evaluations < 3 * few.record.evaluations);
  }
}

TEST_CASE("the implicit methods agree on the stiff rod") {
  const Run fine = run(20, "radau5", 1e-8);
  CHECK(norm(run(20, "radau5", 1e-5).tip - fine.tip) < 1e-6);
  CHECK(norm(run(20, "cvode-bdf", 1e-7).tip - fine.tip) < 1e-5);
}

TEST_CASE("what a derivative for Newton's iteration lacks is nothing that the iteration would keep") {
  const auto system = system_from_text(rod(1000));
  const auto formulations = formulations_for(*system);
  const auto riccati = std::ranges::find_if(formulations, [](const Formulation* f) { return f->name() == "riccati"; });
  REQUIRE(riccati != formulations.end());
  const auto solver = solver_for(*system, **riccati);
  auto* const matrix = ask<NewtonMatrix>(*solver);
  auto* const to_solve = ask<NewtonDerivative>(*solver);
  REQUIRE(matrix != nullptr);
  REQUIRE(to_solve != nullptr);
  // When the springs have come to balance each other, the accelerations that they leave are smaller than their
  // rounding.
  const std::vector<double> y = run(1000, "radau5", 1e-4, 0.05).y;
  (void)initial_vector(*system, *solver);
  REQUIRE(y.size() == solver->state_size());
  const std::size_t n = y.size() / 2;
  std::vector<double> exact(y.size()), rough(y.size());
  REQUIRE(solver->derivative(0, y, exact) == Status::ok);
  REQUIRE(matrix->linearize(0, y) == Status::ok);
  // Before a matrix is prepared it is the derivative itself.
  REQUIRE(to_solve->derivative_to_solve(0, y, rough) == Status::ok);
  CHECK(rough == exact);
  REQUIRE(matrix->prepare(3e-3) == Status::ok);
  REQUIRE(to_solve->derivative_to_solve(0, y, rough) == Status::ok);
  std::vector<double> rest(y.size()), whole(y.size());
  double lacking = 0;
  for (std::size_t i = n; i < 2 * n; ++i) {
    rest[i] = rough[i] - exact[i];
    whole[i] = exact[i];
    lacking = std::max(lacking, std::abs(rest[i]));
  }
  matrix->solve(rest);
  matrix->solve(whole);
  double kept = 0, size = 0;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    kept = std::max(kept, std::abs(rest[i]));
    size = std::max(size, std::abs(whole[i]));
  }
  UNSCOPED_INFO(lacking << " of " << size);
  CHECK(lacking > 0);
  CHECK(kept < 1e-9 * size);
  REQUIRE(solver->derivative(0, y, rough) == Status::ok);
  CHECK(rough == exact);
}

TEST_CASE("measure the stiff rod", "[.measure]") {
  for (const char* integrator : {"radau5", "cvode-bdf"})
    for (const int n : {20, 100, 1000, 10000})
      for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
        const std::clock_t start = std::clock();
        const Run now = run(n, integrator, tolerance, 2);
        fmt::print(
            "{} n={} tolerance {:g}: {} steps, {} rejected, {} evaluations, {:.3f} s of CPU, tip {:.9f} {:.9f}\n",
            integrator, n, tolerance, now.record.steps, now.record.rejected_steps, now.record.evaluations,
            static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, now.tip.x, now.tip.y);
        std::fflush(stdout);
      }
}
