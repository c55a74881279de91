// The stiff rod: pieces with hinge springs, clamped at one end.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "framework/simulation/simulate.hpp"
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
)", n, length, length, length / 2, inertia, inertia);
  for (int i = 0; i < n; ++i)
    text += fmt::format(
        "  - {{name: s{0}, type: joint-spring-damper, joint: \"rod[{0}].joint\", stiffness: {1}, damping: {2}}}\n", i,
        stiffness, 1e-3 * stiffness);
  return text;
}

struct Run {
  host::RunRecord record;
  Vec3 tip;
};

class LastTip final : public host::RowSink {
 public:
  void row(double, const Observation& now) override { tip = now.bodies.back().pose.position; }
  Vec3 tip;
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
    return {record, last.tip};
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

TEST_CASE("measure the stiff rod", "[.measure]") {
  for (const char* integrator : {"radau5", "cvode-bdf"})
    for (const int n : {20, 100, 1000, 10000})
      for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
        const std::clock_t start = std::clock();
        const Run now = run(n, integrator, tolerance, 2);
        fmt::print("{} n={} tolerance {:g}: {} steps, {} rejected, {} evaluations, {:.3f} s of CPU, tip {:.9f} {:.9f}\n",
                   integrator, n, tolerance, now.record.steps, now.record.rejected_steps, now.record.evaluations,
                   static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, now.tip.x, now.tip.y);
        std::fflush(stdout);
      }
}
