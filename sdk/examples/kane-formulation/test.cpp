// The new solver runs the model, its top precesses steadily, and it gives the accelerations' double integral that all
// others give.
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  test.require_solver("kane");
  const double precession = 4, sine = std::sqrt(0.75);
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time");
      // Angular velocity n e + Ω z, whose horizontal part turns with the axis e.
      const double spin = run.at(0, "top.wx") / sine;
      test.near(run, row, "top.wx", spin * sine * std::cos(precession * t), 1e-7);
      test.near(run, row, "top.wy", spin * sine * std::sin(precession * t), 1e-7);
      test.near(run, row, "top.wz", run.at(0, "top.wz"), 1e-7);
      for (const char* column : {"pin.q", "pin.v", "lower.x", "lower.y", "lower.z", "lower.wx", "lower.wy", "lower.wz"})
        test.near(run, row, column, test.runs().front().at(row, column), 1e-8);
    }
  return test.result();
}
