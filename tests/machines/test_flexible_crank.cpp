// A connecting rod that bends, against its hand calculation with one mode.
#include <array>
#include <cmath>

#include "tests/machines/machine_run.hpp"

using namespace polyform::test;

TEST_CASE("the rod of a flexible slider-crank bends as its first mode does by hand") {
  const double r = 0.15, L = 0.3, speed = 150, E = 2e11, density = 7870, d = 0.006;
  const double first = pi * pi / (L * L) * std::sqrt(E * pi * std::pow(d, 4) / 64 / (density * pi * d * d / 4));
  CHECK(first == Approx(829.2).epsilon(1e-4));  // rad/s
  // η̈ of w = η sin(πx/L) in the frame through the pins: the transverse acceleration of the rigid rod loads the mode.
  const auto acceleration = [&](double t, double eta) {
    const double theta = speed * t, phi = std::asin(-r / L * std::sin(theta)), c = std::cos(phi);
    const double rate = -r / L * speed * std::cos(theta) / c;
    const double second = (r / L * speed * speed * std::sin(theta) + rate * rate * std::sin(phi)) / c;
    return -(first * first - rate * rate) * eta + 4 / pi * r * speed * speed * std::sin(theta - phi) -
           2 * L / pi * second;
  };
  // The classical Runge-Kutta method with small steps: fifty to a row of the model.
  const double h = 1e-5;
  std::vector<double> eta{0};
  double e = 0, v = 0;
  for (int k = 0; k < 10000; ++k) {
    const double t = k * h, a1 = acceleration(t, e), a2 = acceleration(t + h / 2, e + h / 2 * v),
                 a3 = acceleration(t + h / 2, e + h / 2 * v + h * h / 4 * a1),
                 a4 = acceleration(t + h, e + h * v + h * h / 2 * a2);
    e += h * v + h * h / 6 * (a1 + a2 + a3);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    if (k % 50 == 49) eta.push_back(e);
  }
  in_formulations(shipped("flexible_slider_crank"),
                  [&](const Table& rows) {
                    REQUIRE(rows.rows.size() == eta.size());
                    for (std::size_t k = 0; k < eta.size(); ++k)
                      CHECK(rows.at(k, "rod.eta[0]") == Approx(eta[k]).margin(1e-9));
                  },
                  {"--set", "bodies.rod.geometric_stiffening=false"}, {"particles"});
  // Tension stiffens the rod on the whole: it bends a sixth less, up to 1.6 % of its length.
  in_formulations(shipped("flexible_slider_crank"),
                  [](const Table& rows) {
                    double most = 0;
                    for (std::size_t k = 0; k < rows.rows.size(); ++k)
                      most = std::max(most, std::abs(rows.at(k, "rod.eta[0]")));
                    CHECK(most == Approx(0.01557 * 0.3).epsilon(1e-3));
                  },
                  {}, {"particles"});
}
