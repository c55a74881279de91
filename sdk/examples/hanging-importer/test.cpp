// A rod that swings from rest at an angle: its kinetic energy is ½ (m l²/3) φ̇², and the sum of both energies stays what
// the height at the start makes it.
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double length = 1.5, mass = 2, gravity = 9.81, start = 0.5;
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double rate = run.at(row, "hinge_1.v");
      test.near(run, row, "energy.kinetic", mass * length * length / 6 * rate * rate, 1e-9);
      test.near(run, row, "energy.total", -mass * gravity * length / 2 * std::cos(start), 1e-5);
    }
  return test.result();
}
