#include "tests/riccati/variant_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"

namespace polyform::test {
namespace {

const Formulation& riccati() { return *registry().catalog().formulations.at("riccati"); }

void widen(double& worst, double& scale, const Vec3& a, const Vec3& b) {
  const double distance = norm(a - b);
  worst = std::isnan(distance) ? std::numeric_limits<double>::infinity() : std::max(worst, distance);
  scale = std::max(scale, norm(a));
}

}  // namespace

std::vector<Options> all_variants() {
  return {{{"branches", "overall"}},
          {{"algorithm", "transfer-product"}},
          {{"algorithm", "transfer-product"}, {"branches", "overall"}}};
}

std::string text_of(const Options& options) {
  std::string text;
  for (const auto& [key, value] : options) text += key + "=" + value + " ";
  return text;
}

host::SolverPointer solver_with(const host::System& system, const Options& options) {
  host::Diagnostics diagnostics;
  host::Description storage;
  const std::vector<FieldValue> values =
      host::read_options(riccati().options(), options, riccati().name(), storage, diagnostics);
  REQUIRE(!diagnostics.failed());
  return host::compile(riccati(), system.view(), values);
}

Difference difference_from_default(const host::System& system, const Options& options) {
  const auto reference = solver_with(system, {}), variant = solver_with(system, options);
  const std::vector<double> y = initial_vector(system, *reference);
  host::ObservationStore expected(system.view()), found(system.view());
  REQUIRE(reference->observe(0, y, expected.now()) == Status::ok);
  if (variant->observe(0, y, found.now()) != Status::ok) {
    const double infinite = std::numeric_limits<double>::infinity();
    return {infinite, infinite, std::string(variant->failure())};
  }
  Difference d;
  double accelerations = 1, reactions = 1;
  const Observation &a = expected.now(), &b = found.now();
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    widen(d.acceleration, accelerations, a.bodies[i].acceleration, b.bodies[i].acceleration);
    widen(d.acceleration, accelerations, a.bodies[i].angular_acceleration, b.bodies[i].angular_acceleration);
  }
  for (std::size_t i = 0; i < a.acceleration.size(); ++i)
    widen(d.acceleration, accelerations, {a.acceleration[i], 0, 0}, {b.acceleration[i], 0, 0});
  for (std::size_t i = 0; i < a.reactions.size(); ++i) {
    widen(d.reaction, reactions, a.reactions[i].linear, b.reactions[i].linear);
    widen(d.reaction, reactions, a.reactions[i].angular, b.reactions[i].angular);
  }
  return {d.acceleration / accelerations, d.reaction / reactions, {}};
}

Ending ending_of(const host::System& system, const Options& options) {
  class Last final : public host::RowSink {
   public:
    void row(double, const Observation& o) override {
      ending.q.assign(o.q.begin(), o.q.end());
      ending.violation = std::max(ending.violation, o.position_violation);
    }
    Ending ending;
  };
  Last last;
  host::RowSink* const sinks[] = {&last};
  const auto solver = solver_with(system, options);
  const auto& given = system.description().simulation;
  host::RunSettings settings = test::run_settings("rk4");
  settings.duration = given.duration.value();
  settings.step = given.step.value();
  settings.output_interval = given.output_interval.value();
  last.ending.failure = host::simulate(system, *solver, settings, sinks, {}).failure;
  return last.ending;
}

std::string chain_model(int n) {
  return fmt::format(R"(
polyform: 1
name: chain of {0} rods
gravity: [0, 0, -9.81]
chains:
  - name: rod
    count: {0}
    body: {{mass: 1, center_of_mass: [0.3535533905932738, 0, -0.3535533905932738],
           inertia: {{xx: 0.0421666666666667, yy: 0.0833333333333333, zz: 0.0421666666666667, xz: 0.0411666666666667}}}}
    joint: {{type: spherical}}
    base: ground
    start: [0, 0, 0]
    step: [0.7071067811865476, 0, -0.7071067811865476]
)",
                     n);
}

}  // namespace polyform::test
