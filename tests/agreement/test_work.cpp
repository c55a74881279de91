// Work and precision of the explicit pair of order 8, compared with that of order 5, on models that come with Polyform.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

class AllRows final : public host::RowSink {
 public:
  void row(double, const Observation& o) override {
    for (const std::span<double> part : {o.q, o.v}) numbers.insert(numbers.end(), part.begin(), part.end());
  }
  std::vector<double> numbers;
};

struct Worked {
  std::size_t evaluations = 0;
  std::vector<double> numbers;
};

Worked run(const host::System& system, std::string_view integrator, double tolerance) {
  const auto solver = solver_for(system, *formulations_for(system).front());
  AllRows rows;
  host::RowSink* sinks[] = {&rows};
  host::RunSettings settings = run_settings(integrator);
  settings.duration = 2;
  settings.output_interval = 0.1;
  settings.relative_tolerance = tolerance;
  settings.absolute_tolerance = tolerance / 10;
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  REQUIRE(record.end == host::End::done);
  return {record.evaluations, rows.numbers};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("at tight tolerances dop853 reaches the error of dopri5 with fewer evaluations, rows included") {
  for (const char* model : {"heavy_top", "simple_pendulum", "double_pendulum", "triple_spherical_pendulum",
                            "slider_crank", "spring_damper_pendulum", "governor"}) {
    INFO(model);
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
    const std::vector<double> exact = run(*system, "dop853", 1e-13).numbers;
    const Worked fifth = run(*system, "dopri5", 1e-10);
    const double error = distance(fifth.numbers, exact);
    bool reached = false;
    for (double tolerance = 1e-8; tolerance > 1e-13; tolerance /= 3) {
      const Worked eighth = run(*system, "dop853", tolerance);
      if (distance(eighth.numbers, exact) > error) continue;
      INFO("error " << error << ", tolerance " << tolerance);
      CHECK(static_cast<double>(eighth.evaluations) < 0.75 * static_cast<double>(fifth.evaluations));
      reached = true;
      break;
    }
    CHECK(reached);
  }
}
