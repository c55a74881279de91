// What the rods of model.yaml do: η = η₀ cos ωt with the exact frequency of the lowest mode, and a steady spin.
#include <numbers>

#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double frequency = std::numbers::pi / 4 * std::sqrt(1e5 / 1.5);
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time");
      test.near(run, row, "ringing.eta[0]", 0.001 * std::cos(frequency * t), 1e-9);
      test.near(run, row, "ringing.etadot[0]", -0.001 * frequency * std::sin(frequency * t), 1e-6);
      test.near(run, row, "spinning.eta[0]", run.at(0, "spinning.eta[0]"), 1e-9);
      test.near(run, row, "hinge.q", 30 * t, 1e-9);
      test.near(run, row, "hinge.v", 30, 1e-9);
    }
  return test.result();
}
