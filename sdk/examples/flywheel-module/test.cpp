// With the arm's inertia about its pin, I = 0.2 + 2 · 0.5² = 0.7 kg m², the arms of model.yaml obey
//   (I + n² J) v̇ = 1.5 N m    and    (I + n² J) v̇ = −n² c v.
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double acceleration = 1.5 / (0.7 + 25 * 0.02), inertia = 0.7 + 100 * 0.003, rate = 100 * 0.004 / inertia;
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time"), v = 4 * std::exp(-rate * t);
      test.near(run, row, "driven_pin.q", 0.5 * acceleration * t * t, 1e-8);
      test.near(run, row, "driven_pin.v", acceleration * t, 1e-8);
      test.near(run, row, "free_pin.v", v, 1e-8);
      test.near(run, row, "free_pin.q", 4 / rate * (1 - std::exp(-rate * t)), 1e-8);
      const double driven = 1.5 * acceleration * t * t / 2;  // the work of the motor
      test.near(run, row, "energy.kinetic", driven + 0.5 * inertia * v * v, 1e-7);
    }
  return test.result();
}
