#include "framework/host/integration/counted_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline integration {

namespace {

bool all_finite(std::span<const double> x) {
  // Without an early exit, so that the compiler can vectorize it: this runs over every derivative.
  unsigned bad = 0;
  for (const double value : x) bad |= std::abs(value) <= std::numeric_limits<double>::max() ? 0u : 1u;
  return bad == 0;
}

/// What failed at a time, and why where that is known.
Message said(std::string_view what, double t, std::string_view why) {
  return Message("{} at t = {:.9g} s{}{}", what, t, why.empty() ? "" : ": ", why);
}

}  // namespace

void* CountedSystem::query(std::string_view asked) noexcept {
  if (asked == NewtonMatrix::interface_name) {
    was_asked_for_matrix_ = true;
    newton_ = ode_.newton_matrix();
    return newton_ == nullptr ? nullptr : static_cast<NewtonMatrix*>(this);
  }
  if (asked == NewtonDerivative::interface_name) return static_cast<NewtonDerivative*>(this);
  if (asked == interface_name) return this;
  if (asked == IntegralSizes::interface_name) return ode_.integral_sizes();
  if (asked == StiffestElement::interface_name) return ode_.stiffest_element();
  if (asked == UnilateralSystem::interface_name) return ode_.unilateral();
  if (asked == CorrectedQuaternions::interface_name) return ode_.corrected_quaternions();
  if (asked == NotedCorrections::interface_name) return ode_.noted_corrections();
  const bool offered = second_ != nullptr && asked == SecondOrderSystem::interface_name;
  return offered ? static_cast<SecondOrderSystem*>(this) : nullptr;
}

/// Not counted: it costs no forces and no accelerations.
Status CountedSystem::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (second_->position_rates(t, y, ydot) == Status::ok) return Status::ok;
  failure_.say(said("the rates of the positions could not be computed", t, ode_.failure()));
  return Status::failed;
}

Status CountedSystem::linearize(double t, std::span<const double> y) noexcept {
  ++evaluations_;
  if (newton_->linearize(t, y.first(states())) == Status::ok) return Status::ok;
  failure_.say(said("the derivatives for Newton's iteration could not be computed", t, ode_.failure()));
  return Status::failed;
}

Status CountedSystem::derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  ++evaluations_;
  return looked_at(ode_.derivative(t, y, ydot), t, y, ydot);
}

Status CountedSystem::derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  ++evaluations_;
  return looked_at(ode_.derivative_to_solve(t, y, ydot), t, y, ydot);
}

Status CountedSystem::looked_at(bool evaluated, double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (!evaluated) {
    failure_.say(said("the derivatives could not be computed", t, ode_.failure()));
    return Status::failed;
  }
  if (all_finite(ydot)) return Status::ok;
  const auto bad = std::ranges::find_if(ydot, [](double x) { return !std::isfinite(x); });
  const Message which("the derivative of state {} (counted from 0) is not finite ({})", bad - ydot.begin(),
                      std::isnan(*bad) ? std::abs(*bad) : *bad);  // its sign depends on the compiler
  ode_.find_not_finite(t, y);
  failure_.say(said(which, t, ode_.failure()));
  return Status::failed;
}

/// A step whose end cannot be corrected is given up: what the correction made of the discrete state goes too.
Status CountedSystem::correct(double t, std::span<double> y) noexcept {
  if (discrete_ != nullptr) std::ranges::copy(discrete_->values(), kept_.begin());
  if (ode_.correct(t, y)) return Status::ok;
  if (discrete_ != nullptr) discrete_->set(kept_);
  failure_.say(said("the state could not be corrected", t, ode_.failure()));
  return Status::failed;
}

}  // namespace polyform::host::integration
