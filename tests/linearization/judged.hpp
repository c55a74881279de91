// Verdicts of stability by every formulation, and what they are compared with.
#pragma once

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <vector>

#include "framework/workbench/linearization/stability.hpp"
#include "tests/linearization/linear_bench.hpp"
#include "tests/support/integrators.hpp"

namespace polyform::test {

struct Judged {
  const Formulation* formulation;
  host::Stability stability;
};

inline Judged judged(const host::System& system, const Formulation& formulation, const host::OperatingPoint& point,
                     host::StabilityRequest request = {}) {
  request.integrator = integrator("dop853");
  LinearCase c = linearize_at(system, formulation, point, {"none"}, {"none"});
  return {&formulation, host::judge(system, maker(formulation), point, request, c.linear)};
}

inline std::vector<Judged> judge_all(const host::System& system, const host::StabilityRequest& request = {}) {
  std::vector<Judged> out;
  for (const Formulation* f : formulations_for(system))
    out.push_back(judged(system, *f, initial_point(system), request));
  REQUIRE(out.size() >= 2);
  return out;
}

/// How far the nearest eigenvalue is.
inline double distance_to(const host::Modes& modes, std::complex<double> wanted) {
  double best = 1e300;
  for (const host::Mode& m : modes.all) best = std::min(best, std::abs(m.eigenvalue - wanted));
  return best;
}

/// The matrix of (x, x') over a period, with x'' = stiffness(t) x: its trace, by the classical Runge-Kutta method.
template <class Stiffness>
double trace_over(double period, const Stiffness& stiffness) {
  constexpr int steps = 20000;
  const double h = period / steps;
  double trace = 0;
  for (const int column : {0, 1}) {
    Eigen::Vector2d x = Eigen::Vector2d::Unit(column);
    const auto rate = [&](double t, const Eigen::Vector2d& y) { return Eigen::Vector2d(y[1], stiffness(t) * y[0]); };
    for (int k = 0; k < steps; ++k) {
      const double t = k * h;
      const Eigen::Vector2d a = rate(t, x), b = rate(t + h / 2, x + h / 2 * a), c = rate(t + h / 2, x + h / 2 * b),
                            d = rate(t + h, x + h * c);
      x += h / 6 * (a + 2 * b + 2 * c + d);
    }
    trace += x[column];
  }
  return trace;
}

}  // namespace polyform::test
