// The screws of model.yaml turn with the constant acceleration −m g l / (J + m l²), l = pitch / 2π.
#include <numbers>

#include "polyform/helpers/testing.hpp"

namespace {

double acceleration(double mass, double inertia, double pitch) {
  const double lead = pitch / (2 * std::numbers::pi);
  return -mass * 9.81 * lead / (inertia + mass * lead * lead);
}

}  // namespace

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double nut = acceleration(2, 0.02, 0.05), slide = acceleration(3, 0.02, -0.04);
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time");
      test.near(run, row, "screw.q", 0.5 * nut * t * t, 1e-9);
      test.near(run, row, "screw.v", nut * t, 1e-9);
      test.near(run, row, "nut.z", 0.5 * nut * t * t * 0.05 / (2 * std::numbers::pi), 1e-9);
      test.near(run, row, "lead_screw.q", 0.5 * slide * t * t, 1e-8);
      test.near(run, row, "bearing.v", -slide * t, 1e-8);
    }
  return test.result();
}
