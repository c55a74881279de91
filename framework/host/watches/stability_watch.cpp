#include "framework/host/watches/stability_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace polyform::host::inline watches {

namespace {

// Evaluations between two looks, and of steps before a look that count; a look takes four evaluations.
constexpr std::size_t between_looks = 1500, least_steps = 50;
// Looks from which on the direction of the fastest motion is known.
constexpr std::size_t first_looks = 3, many_looks = 10;
// Step times largest |eigenvalue| from which on stability may hold a step: explicit methods of Runge-Kutta type are
// stable up to about 1 for vibrations without damping and to 3 and more for what dies away.
constexpr double at_the_bound = 0.9;
// Part of it, below which the rate of the last look does not explain the steps: a new direction is looked for. What is
// fast is lost in the old one where all is slow, as in flight.
constexpr double unexplained = 0.5;
// From here on all of them are unstable or next to it: Euler's method at 2, the one of order 4 at 2.8.
constexpr double beyond_the_bound = 2;
// Part of the accelerations that is left where a motion that dies away at the fastest rate has come to rest.
constexpr double dies_away = 0.5;

double acceleration_of(const Observation& now) {
  double sum = 0;
  for (const double a : now.acceleration) sum += std::abs(a);
  for (const double a : now.modal_acceleration) sum += std::abs(a);
  return sum;
}

}  // namespace

void StabilityWatch::look() {
  const Statistics done = integrator_.statistics();
  if (due_ == 0) due_ = between_looks;
  if (done.evaluations < due_ || done.steps < steps_ + least_steps || integrator_.follows_stiffness()) return;
  due_ = done.evaluations + between_looks;
  find_rate();
  steps_ = done.steps;
  since_ = integrator_.time();
}

double StabilityWatch::rate_at(double t, std::span<const double> y, std::size_t rounds) {
  if (!scale_) {
    scale_.emplace(ode_.size(), ode_.integrals());
    scale_->start();
  }
  const auto derivative = [&](std::span<const double> at, std::span<double> rates) {
    return ode_.derivative(t, at, rates);
  };
  double rate = 0;
  for (; rounds > 0; --rounds) rate = scale_->measure(y, derivative);
  return rate;
}

void StabilityWatch::find_rate() {
  const std::span<const double> y = integrator_.state();
  const double t = integrator_.time();
  const double step = (t - since_) / static_cast<double>(integrator_.statistics().steps - steps_);
  const bool anew = fastest_ * step < unexplained * at_the_bound;
  if (anew && scale_) scale_->start();
  const double rate = rate_at(t, y, anew ? first_looks : 1);
  fastest_ = rate;
  ++looks_;
  if (!(rate * step > at_the_bound)) return;
  ++held_;
  rate_ = rate;
  step_ = step;
  if (StiffestElement* const search = ode_.stiffest_element()) by_ = search->stiffest(t, y, scale_->direction(), rate);
}

std::string StabilityWatch::name_of_fastest(double t, std::span<const double> y, double rate) {
  StiffestElement* const search = ode_.stiffest_element();
  const std::string by(search != nullptr ? search->stiffest(t, y, scale_->direction(), rate) : std::string_view());
  return by.empty() ? "the fastest motion" : by;
}

std::string StabilityWatch::fastest() {
  find_rate();
  return fmt::format("{} moves at {:.2g} rad/s", name_of_fastest(integrator_.time(), integrator_.state(), fastest_),
                     fastest_);
}

std::string StabilityWatch::fastest_element() {
  StiffestElement* const search = ode_.stiffest_element();
  const double t = integrator_.time();
  const std::span<const double> y = integrator_.state();
  const double rate = search != nullptr ? rate_at(t, y, many_looks) : 0;
  return rate > 0 ? std::string(search->stiffest(t, y, scale_->direction(), rate)) : std::string();
}

std::string StabilityWatch::too_long(double step, double t, std::span<const double> y) {
  scale_.reset();
  const double rate = rate_at(t, y, many_looks);
  if (integrator_.follows_stiffness() || !(rate * step > beyond_the_bound)) return {};
  return fmt::format(
      "The steps of {:.3g} s are too long: {} moves at {:.2g} rad/s, which an explicit method follows "
      "in steps shorter than about {:.1g} s",
      step, name_of_fastest(t, y, rate), rate, beyond_the_bound / rate);
}

double StabilityWatch::energy_of_transient(Solver& solver, ObservationStore& store, double step, double t,
                                           std::span<const double> y) {
  scale_.reset();
  const double rate = rate_at(t, y, many_looks);
  if (!(rate * step > 1) || !std::isfinite(rate)) return 0;
  const std::span<const double> states = y.first(solver.state_size());
  std::vector<double> moved(states.size());
  if (solver.observe(t, states, store.now()) != Status::ok) return 0;
  const double before = store.now().kinetic_energy, acting = acceleration_of(store.now());
  if (solver.derivative(t, states, moved) != Status::ok) return 0;
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = states[i] + moved[i] / rate;
  if (solver.observe(t, moved, store.now()) != Status::ok) return 0;
  // A vibration does not come to rest there, and one that steps damp is not that of the model.
  if (!(acceleration_of(store.now()) <= dies_away * acting)) return 0;
  const double energy = std::abs(store.now().kinetic_energy - before);
  return std::isfinite(energy) ? energy : 0;
}

std::string StabilityWatch::held() const {
  if (held_ < 2 || 2 * held_ <= looks_) return {};
  return fmt::format(
      "{} at {:.2g} rad/s held the steps at {:.2g} s for stability; an implicit method (--integrator auto "
      "or radau5) need not follow it",
      by_.empty() ? "the fastest motion" : by_, rate_, step_);
}

}  // namespace polyform::host::watches
