// What is conserved and what is known of the motion of model.yaml, with k = μ0 / 4π:
//   slide   ½ m ẋ² = U(x0) − U(x),             U = 2 k m n / x³ of two dipoles in line that oppose
//   needle  ½ J φ̇² = E (cos φ − cos φ0),       E = 2 k m n / r³, φ from the line to the other dipole
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const double k = 1e-7, needle = 2 * k * 1000 * 50, slide = 2 * k * 1000 * 800;
  const auto potential = [slide](double x) { return slide / (x * x * x); };
  for (const auto& run : test.runs()) {
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double x = run.at(row, "slide.x"), angle = run.at(row, "pin.q"), rate = run.at(row, "pin.v");
      test.near(run, row, "guide.v", std::sqrt(2 * std::max(0.0, potential(0.2) - potential(x))), 1e-7);
      test.near(run, row, "energy.total", potential(0.2) - needle * std::cos(1.0), 1e-9);
      if (std::abs(0.5 * 0.01 * rate * rate - needle * (std::cos(angle) - std::cos(1.0))) > 1e-9)
        test.fail(run.solver() + ": the needle does not keep its energy");
    }
    if (run.at(run.rows() - 1, "slide.x") < 1) test.fail(run.solver() + ": the slide was not pushed away");
  }
  return test.result();
}
