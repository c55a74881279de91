// Differential equations with known solutions.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/integration/integration.hpp"
#include "tests/support/integrators.hpp"

namespace polyform::host::test {

using Span = std::span<const double>;

/// An equation from two functions.
class Equation : public Ode {
 public:
  using Derivative = std::function<bool(double t, Span y, std::span<double> ydot)>;
  using Correction = std::function<bool(double t, std::span<double> y)>;

  Equation(
      std::size_t size, Derivative f, Correction c = [](double, std::span<double>) { return true; })
      : size_(size), derivative_(std::move(f)), correct_(std::move(c)) {}

  std::size_t size() const noexcept override { return size_; }
  bool derivative(double t, Span y, std::span<double> ydot) noexcept override {
    ++evaluations;
    return derivative_(t, y, ydot);
  }
  bool correct(double t, std::span<double> y) noexcept override {
    ++corrections;
    return correct_(t, y);
  }
  std::string_view failure() const noexcept override { return why; }

  std::size_t evaluations = 0, corrections = 0;
  std::string why;

 private:
  std::size_t size_;
  Derivative derivative_;
  Correction correct_;
};

/// y' = c t^power, y = c t^(power + 1) / (power + 1): a quadrature.
inline Equation power_of_time(int power) {
  return {1, [power](double t, Span, std::span<double> ydot) {
            ydot[0] = std::pow(t, power);
            return true;
          }};
}

/// A nonlinear oscillator with a closed solution: a turn of angular velocity r² on the circle of radius r.
inline bool turn(double, Span y, std::span<double> ydot) {
  const double rate = y[0] * y[0] + y[1] * y[1];
  ydot[0] = -rate * y[1];
  ydot[1] = rate * y[0];
  return true;
}
inline Equation circle_oscillator() { return {2, turn}; }
/// The same, with the drift from the circle of radius r removed after each step.
inline Equation corrected_circle_oscillator(double r) {
  return {2, turn, [r](double, std::span<double> y) {
            const double factor = r / std::hypot(y[0], y[1]);
            y[0] *= factor;
            y[1] *= factor;
            return true;
          }};
}
/// Distance from the solution that starts at (r, 0).
inline double circle_error(double r, double t, Span y) {
  return std::hypot(y[0] - r * std::cos(r * r * t), y[1] - r * std::sin(r * r * t));
}

/// y' = y (1 - y) from 0.2: y = 1 / (1 + 4 exp(-t)).
inline Equation logistic() {
  return {1, [](double, Span y, std::span<double> ydot) {
            ydot[0] = y[0] * (1 - y[0]);
            return true;
          }};
}
inline double logistic_error(double t, Span y) { return std::abs(y[0] - 1 / (1 + 4 * std::exp(-t))); }

/// An integrator by name, and what it is told.
struct Method {
  std::string_view name;
  double step = 1e-3, relative_tolerance = 1e-8, absolute_tolerance = 1e-10;
  double max_step = std::numeric_limits<double>::infinity();
};

inline std::unique_ptr<Integration> integration_of(Ode& ode, const Method& m) {
  const StepSettings settings{.step = m.step,
                              .relative_tolerance = m.relative_tolerance,
                              .absolute_tolerance = m.absolute_tolerance,
                              .max_step = m.max_step};
  return std::make_unique<Integration>(ode, polyform::test::integrator(m.name), settings);
}

inline std::unique_ptr<Integration> started(Ode& ode, const Method& method, std::vector<double> y, double t = 0) {
  auto integrator = integration_of(ode, method);
  integrator->start(t, y);
  return integrator;
}

/// Steps to the end; false when a step failed.
inline bool run(Integration& integrator, double end) {
  while (integrator.time() < end)
    if (!integrator.step(end)) return false;
  return true;
}

}  // namespace polyform::host::test
