#include "framework/host/watches/stability_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::host::inline watches {

namespace {

// Evaluations between two looks, and of steps before a look that count; a look takes three evaluations.
constexpr std::size_t between_looks = 1500, few_steps = 50;
// Looks from which on the direction of the fastest motion is known.
constexpr std::size_t first_looks = 3;
// Step times largest |eigenvalue| from which on stability may hold a step: explicit methods of Runge-Kutta type are
// stable up to about 1 for vibrations without damping and to 3 and more for what dies away.
constexpr double at_the_bound = 0.9;

}  // namespace

void StabilityWatch::look() {
  const Statistics done = integrator_.statistics();
  if (due_ == 0) due_ = between_looks;
  if (done.evaluations < due_ || done.steps < steps_ + few_steps || integrator_.follows_stiffness()) return;
  due_ = done.evaluations + between_looks;
  find_rate();
  steps_ = done.steps;
  since_ = integrator_.time();
}

void StabilityWatch::find_rate() {
  const std::span<const double> y = integrator_.state();
  if (!scale_) {
    scale_.emplace(ode_.size(), ode_.integrals());
    scale_->start();
  }
  const double t = integrator_.time();
  const auto derivative = [&](std::span<const double> at, std::span<double> rates) {
    return ode_.derivative(t, at, rates);
  };
  double rate = 0;
  for (std::size_t k = looks_ == 0 ? first_looks : 1; k > 0; --k) rate = scale_->measure(y, derivative);
  fastest_ = rate;
  const double step = (t - since_) / static_cast<double>(integrator_.statistics().steps - steps_);
  ++looks_;
  if (!(rate * step > at_the_bound)) return;
  ++held_;
  rate_ = rate;
  step_ = step;
  if (StiffestElement* const search = ode_.stiffest_element()) by_ = search->stiffest(t, y, scale_->direction(), rate);
}

std::string StabilityWatch::fastest() {
  find_rate();
  StiffestElement* const search = ode_.stiffest_element();
  std::string by;
  if (search != nullptr)
    by = search->stiffest(integrator_.time(), integrator_.state(), scale_->direction(), fastest_);
  return fmt::format("{} moves at {:.2g} rad/s", by.empty() ? "the fastest motion" : by, fastest_);
}

std::string StabilityWatch::held() const {
  if (held_ < 2 || 2 * held_ <= looks_) return {};
  return fmt::format("{} at {:.2g} rad/s held the steps at {:.2g} s for stability; an implicit method (--integrator auto "
                     "or radau5) need not follow it",
                     by_.empty() ? "the fastest motion" : by_, rate_, step_);
}

}  // namespace polyform::host::watches
