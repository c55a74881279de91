// A solver as the integrators see it, with rows that hold at times.
#pragma once

#include "framework/host/integration/ode.hpp"
#include "framework/host/unilateral/stepped_contacts.hpp"
#include "framework/host/unilateral/unilateral_motion.hpp"

namespace polyform::host::inline unilateral {

/// It offers no matrix for Newton's iteration: that of a solver knows nothing of the forces of these rows.
class UnilateralOde final : public Ode {
 public:
  /// One of motion and stepped is empty.
  UnilateralOde(Ode& ode, UnilateralMotion& motion, SteppedContacts& stepped)
      : ode_(ode), motion_(motion), stepped_(stepped) {}
  std::size_t size() const noexcept override { return ode_.size(); }
  std::size_t integrals() const noexcept override { return ode_.integrals(); }
  IntegralSizes* integral_sizes() noexcept override { return ode_.integral_sizes(); }
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    if (motion_.empty()) return ode_.derivative(t, y, ydot);
    return failed_here_ = !motion_.derivative(t, y, ydot), !failed_here_;
  }
  bool derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    return motion_.empty() ? ode_.derivative_to_solve(t, y, ydot) : derivative(t, y, ydot);
  }
  bool correct(double t, std::span<double> y) noexcept override {
    failed_here_ = false;
    if (!ode_.correct(t, y)) return false;
    return motion_.empty() || (failed_here_ = !motion_.project(t, y), !failed_here_);
  }
  std::string_view failure() const noexcept override { return failed_here_ ? motion_.failure() : ode_.failure(); }
  void find_not_finite(double t, std::span<const double> y) noexcept override { ode_.find_not_finite(t, y); }
  DiscreteState* discrete() noexcept override { return ode_.discrete(); }
  SecondOrderSystem* second_order() noexcept override { return ode_.second_order(); }
  CorrectedQuaternions* corrected_quaternions() noexcept override {
    return motion_.empty() && stepped_.empty() ? ode_.corrected_quaternions() : nullptr;
  }
  NotedCorrections* noted_corrections() noexcept override {
    return motion_.empty() && stepped_.empty() ? ode_.noted_corrections() : nullptr;
  }
  NewtonMatrix* newton_matrix() noexcept override { return motion_.empty() ? ode_.newton_matrix() : nullptr; }
  StiffestElement* stiffest_element() noexcept override { return ode_.stiffest_element(); }
  UnilateralSystem* unilateral() noexcept override { return stepped_.empty() ? nullptr : &stepped_; }

 private:
  Ode& ode_;
  UnilateralMotion& motion_;
  SteppedContacts& stepped_;
  bool failed_here_ = false;
};

}  // namespace polyform::host::inline unilateral
