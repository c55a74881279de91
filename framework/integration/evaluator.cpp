#include "framework/integration/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host {

namespace {

bool all_finite(std::span<const double> x) {
  // Without an early exit, so that the compiler can vectorize it: this runs over every derivative.
  unsigned bad = 0;
  for (const double value : x) bad |= std::abs(value) <= std::numeric_limits<double>::max() ? 0u : 1u;
  return bad == 0;
}

}  // namespace

bool Evaluator::evaluate(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  ++evaluations_;
  time_ = t;
  component_ = ydot.size();
  if (!ode_.derivative(t, y, ydot)) return false;
  if (all_finite(ydot)) return true;
  const auto bad = std::find_if(ydot.begin(), ydot.end(), [](double x) { return !std::isfinite(x); });
  component_ = static_cast<std::size_t>(bad - ydot.begin());
  value_ = *bad;
  ode_.find_not_finite(t, y);
  return false;
}

std::string Evaluator::failure() const {
  const std::string_view why = ode_.failure();
  if (component_ < ode_.size())
    return fmt::format("the derivative of state {} (counted from 0) is not finite ({}) at t = {:.9g} s{}{}", component_,
                       value_, time_, why.empty() ? "" : ": ", why);
  return fmt::format("the derivatives could not be computed at t = {:.9g} s{}{}", time_, why.empty() ? "" : ": ", why);
}

std::string Evaluator::correction_failure(double t) const {
  const std::string_view why = ode_.failure();
  return fmt::format("the state could not be corrected at t = {:.9g} s{}{}", t, why.empty() ? "" : ": ", why);
}

}  // namespace polyform::host
