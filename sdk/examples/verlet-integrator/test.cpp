// The method's own solution of the spring, known in closed form, and the steady turn of the top; and that the spring's
// energy is at the end what it was.
#include "polyform/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double h = 0.01, omega = 5;
  const double discrete = 2 / h * std::asin(omega * h / 2);
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time");
      test.near(run, row, "rail.q", 0.1 * std::cos(discrete * t), 1e-9);
      test.near(run, row, "rail.v", -0.1 * omega * std::sqrt(1 - 0.25 * omega * omega * h * h) * std::sin(discrete * t),
                1e-9);
      test.near(run, row, "top.wz", 3, 1e-12);
      // The drift turns by 2 atan(ω h/4) in each half step.
      test.near(run, row, "ball.q[3]", std::sin(2 * std::atan(3 * h / 4) * t / h), 1e-9);
    }
  return test.result();
}
