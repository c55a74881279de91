// A rod that swings from rest at the angle a: l φ̇² = 3 g (cos φ − cos a), from the energy.
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double length = 1.5, gravity = 9.81, start = 0.5;
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double angle = start - run.at(row, "hinge_1.q"), rate = run.at(row, "hinge_1.v");
      test.near(
          run, row, "hinge_1.v",
          std::copysign(std::sqrt(std::max(0.0, 3 * gravity / length * (std::cos(angle) - std::cos(start)))), rate),
          1e-5);
    }
  return test.result();
}
