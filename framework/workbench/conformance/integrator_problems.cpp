#include "framework/workbench/conformance/integrator_problems.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline conformance {

namespace {

constexpr StateKind q = StateKind::position, v = StateKind::velocity, x = StateKind::other;
constexpr double eccentricity = 0.05;

}  // namespace

void* KnownSystem::query(std::string_view asked) noexcept {
  return asked == SecondOrderSystem::interface_name ? static_cast<SecondOrderSystem*>(this) : nullptr;
}

Status KnownSystem::derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  ++evaluations;
  if (t > wall) {
    failure_ = reason;
    return Status::failed;
  }
  move(y, ydot);
  accelerate(t, y, ydot);
  return Status::ok;
}

Status KnownSystem::position_rates(double, std::span<const double> y, std::span<double> ydot) noexcept {
  move(y, ydot);
  return Status::ok;
}

Status KnownSystem::correct(double t, std::span<double> y) noexcept {
  ++corrections;
  last_correction = t;
  remove_drift(y);
  return Status::ok;
}

Ellipse::Ellipse() : KnownSystem({q, q, v, v}, 0) {}

namespace {

/// The place on the ellipse, from Kepler's equation by Newton's method, whose steps are squared each time.
std::vector<double> place_on_ellipse(double t) {
  double anomaly = t;
  for (int i = 0; i < 50; ++i) {
    const double step = (anomaly - eccentricity * std::sin(anomaly) - t) / (1 - eccentricity * std::cos(anomaly));
    anomaly -= step;
    if (std::abs(step) < 1e-9) break;
  }
  const double rate = 1 / (1 - eccentricity * std::cos(anomaly)), minor = std::sqrt(1 - eccentricity * eccentricity);
  return {std::cos(anomaly) - eccentricity, minor * std::sin(anomaly), -rate * std::sin(anomaly),
          minor * rate * std::cos(anomaly)};
}

void attract(std::span<const double> y, std::span<double> ydot) {
  const double r = std::hypot(y[0], y[1]);
  for (std::size_t i = 0; i < 2; ++i) ydot[2 + i] = -y[i] / (r * r * r);
}

}  // namespace

std::vector<double> Ellipse::solution(double t) const { return place_on_ellipse(t); }

void Ellipse::accelerate(double, std::span<const double> y, std::span<double> ydot) const noexcept { attract(y, ydot); }

void Ellipse::move(std::span<const double> y, std::span<double> ydot) const noexcept {
  std::copy_n(y.begin() + 2, 2, ydot.begin());
}

DrivenDisc::DrivenDisc() : KnownSystem({q, q, v, x, x}, 1) {}

/// θ̈ = −θ̇/2 + cos t from θ̇ = 1.
std::vector<double> DrivenDisc::solution(double t) const {
  const double rate = 0.6 * std::exp(-t / 2) + 0.4 * std::cos(t) + 0.8 * std::sin(t);
  const double angle = 1.2 * (1 - std::exp(-t / 2)) + 0.4 * std::sin(t) + 0.8 * (1 - std::cos(t));
  return {std::cos(angle), std::sin(angle), rate, std::sin(angle), std::sin(angle)};
}

void DrivenDisc::accelerate(double t, std::span<const double> y, std::span<double> ydot) const noexcept {
  ydot[2] = -y[2] / 2 + std::cos(t);
  ydot[3] = y[2] * y[0] - (y[3] - y[1]);
  ydot[4] = y[2] * y[0];
}

void DrivenDisc::move(std::span<const double> y, std::span<double> ydot) const noexcept {
  const double c = y[0], s = y[1];
  ydot[0] = -s * y[2];
  ydot[1] = c * y[2];
}

void DrivenDisc::remove_drift(std::span<double> y) const noexcept {
  const double length = std::hypot(y[0], y[1]);
  y[0] /= length;
  y[1] /= length;
}

Fall::Fall() : KnownSystem({q, v}, 0) {}

std::vector<double> Fall::solution(double t) const { return {t - t * t / 2, 1 - t}; }

void Fall::accelerate(double, std::span<const double>, std::span<double> ydot) const noexcept { ydot[1] = up ? 1 : -1; }

void Fall::move(std::span<const double> y, std::span<double> ydot) const noexcept { ydot[0] = y[1]; }

}  // namespace polyform::host::conformance
