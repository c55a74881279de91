// The pendulum: (Jyy + m l²) β̈ + b β̇ + k β + m g l sin β = 0.
#include <cmath>

#include "tests/examples_thompson/example.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double J = 0.15, m = 2, l = 0.7, k = 3, b = 0.2, g = 9.81;
constexpr double inertia = J + m * l * l;

double acceleration(double q, double v) { return -(b * v + k * q + m * g * l * std::sin(q)) / inertia; }

/// The closed form integrated on its own, with steps that leave an error near rounding.
void advance(double& q, double& v, double duration) {
  constexpr int steps = 200;
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const double k1 = acceleration(q, v), v2 = v + h / 2 * k1, k2 = acceleration(q + h / 2 * v, v2);
    const double v3 = v + h / 2 * k2, k3 = acceleration(q + h / 2 * v2, v3);
    const double v4 = v + h * k3, k4 = acceleration(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
}

}  // namespace

TEST_CASE("the pendulum with spring and damper follows its closed form to rounding in every formulation") {
  const auto system = system_from_text(model_text("spring_damper_pendulum"));
  const auto all = formulations_for(*system);
  REQUIRE(all.size() >= 5);
  for (const Formulation* formulation : all) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    double residual = 0, off = 0, q = 2, v = 0, time = 0;
    run_rows(
        *system, *solver, 10,
        [&](double t, const Observation& o) {
          advance(q, v, t - time);
          time = t;
          off = std::max({off, std::abs(o.q[0] - q), std::abs(o.v[0] - v)});
          residual = std::max(residual, std::abs(o.acceleration[0] - acceleration(o.q[0], o.v[0])));
        },
        200);
    CHECK(residual < 2e-13);  // of accelerations up to 16 rad/s²
    CHECK(off < 1e-9);
  }
}
