// In model.yaml the ball circles at Ω = √(g / (l cos θ)), and the two cranks stay parallel and keep their energy:
// ½ (J₁ + J₂) q̇² = (m₁ + m₂) g s (cos q − cos q0), s = 0.5 m to the mass centres, J about the pins.
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double rate = std::sqrt(9.81 / 0.4), inertia = 0.08 + 0.25 + 0.2 + 0.75;
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time"), q = run.at(row, "left_pin.q"), v = run.at(row, "left_pin.v");
      test.near(run, row, "ball.x", 0.3 * std::cos(rate * t), 1e-9);
      test.near(run, row, "ball.y", 0.3 * std::sin(rate * t), 1e-9);
      test.near(run, row, "ball.z", -0.4, 1e-9);
      test.near(run, row, "right_pin.q", q, 1e-9);
      if (std::abs(0.5 * inertia * v * v - 4 * 9.81 * 0.5 * (std::cos(q) - std::cos(0.8))) > 1e-8)
        test.fail(run.solver() + ": the cranks do not keep their energy");
    }
  return test.result();
}
