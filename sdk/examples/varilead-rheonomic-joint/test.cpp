// With l̈ = 0 the equation of model.yaml is (J + m l²) v̇ = −2 m l l̇ v, so that (J + m l²) v is constant.
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  const auto inertia = [](double t) {
    const double lead = 0.02 + 0.03 * t;
    return 0.02 + 2 * lead * lead;
  };
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time"), lead = 0.02 + 0.03 * t;
      test.near(run, row, "screw.v", 4 * inertia(0) / inertia(t), 1e-9);
      test.near(run, row, "nut.z", lead * run.at(row, "screw.q"), 1e-12);
    }
  return test.result();
}
