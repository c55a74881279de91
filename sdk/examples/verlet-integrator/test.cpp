// The method's own solution, known in closed form: each swing has a frequency of the method, and no swing loses any of
// its amplitude.
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double h = 0.01;
  const auto swing = [h](double omega, double t) { return std::cos(2 / h * std::asin(omega * h / 2) * t); };
  const auto speed = [h](double omega, double t) {
    return -omega * std::sqrt(1 - 0.25 * omega * omega * h * h) * std::sin(2 / h * std::asin(omega * h / 2) * t);
  };
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time");
      test.near(run, row, "first.q", 0.05 * (swing(5, t) + swing(10, t)), 1e-10);
      test.near(run, row, "second.q", 0.05 * (swing(5, t) - swing(10, t)), 1e-10);
      test.near(run, row, "first.v", 0.05 * (speed(5, t) + speed(10, t)), 1e-10);
    }
  return test.result();
}
