#include "tests/reduced/runs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/reading/reader.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"

namespace polyform::test {
namespace {

host::SolverPointer solver_with(const host::System& system, const std::string& name, const Options& given) {
  const Formulation& formulation = *registry().catalog().formulations.at(name);
  host::Diagnostics diagnostics;
  host::Description storage;
  const std::vector<FieldValue> options = host::read_options(formulation.options(), given, name, storage, diagnostics);
  REQUIRE(!diagnostics.failed());
  return host::compile(formulation, system.view(), options);
}

class CourseSink final : public host::RowSink {
 public:
  void row(double, const Observation& o) override {
    const double energy = o.kinetic_energy + o.potential_energy;
    if (course.violations.empty()) first_ = energy;
    course.violations.push_back(o.position_violation);
    course.position_violation = std::max(course.position_violation, o.position_violation);
    course.velocity_violation = std::max(course.velocity_violation, o.velocity_violation);
    course.energy_change = std::max(course.energy_change, std::abs(energy - first_));
    course.positions.emplace_back(o.q.begin(), o.q.end());
    course.q.assign(o.q.begin(), o.q.end());
    course.v.assign(o.v.begin(), o.v.end());
  }
  Course course;

 private:
  double first_ = 0;
};

}  // namespace

Course run(const host::System& system, const std::string& formulation, const Options& options, const Pace& pace) {
  const auto solver = solver_with(system, formulation, options);
  CourseSink sink;
  host::RowSink* const sinks[] = {&sink};
  host::RunSettings settings = test::run_settings("rk4");
  settings.duration = pace.duration;
  settings.step = pace.step;
  settings.output_interval = pace.interval;
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  sink.course.failure = record.failure;
  return sink.course;
}

std::string refusal(const host::System& system, const Options& options) {
  try {
    solver_with(system, "reduced", options);
    return {};
  } catch (const host::Failure& failure) {
    return failure.message();
  }
}

double distance(const Course& a, const Course& b) {
  REQUIRE(a.q.size() == b.q.size());
  double worst = 0;
  for (std::size_t k = 0; k < a.q.size(); ++k) worst = std::max(worst, std::abs(a.q[k] - b.q[k]));
  for (std::size_t k = 0; k < a.v.size(); ++k) worst = std::max(worst, std::abs(a.v[k] - b.v[k]));
  return worst;
}

}  // namespace polyform::test
