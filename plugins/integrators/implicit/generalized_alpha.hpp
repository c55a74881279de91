// The generalized-α method on Lie groups: J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375; O. Brüls,
// A. Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002; M. Arnold, O. Brüls, A. Cardona, Numer. Math. 129 (2015)
// 149-179. With the acceleration v̇ = f(t, q, v) of the system and an auxiliary one, a, per step of length h:
//
//   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀
//   v₁ = v₀ + h (1 − γ) a₀ + h γ a₁
//   q₁ = q₀ ∘ exp(h w),   w = v₀ + h (½ − β) a₀ + h β a₁
//
// The index: solvers give v̇ with the multipliers that the constraints of accelerations ask for, so that the
// method sees no algebraic equation; after each step the solver's correction puts q and then v on their constraints. So
// the end of a step keeps positions and velocities closed, as the stabilized index-3 form does, while a multiplier is a
// function of the state and has its order.
#pragma once

#include "implicit_steps.hpp"
#include "polyform/contract/second_order.hpp"

namespace polyform::implicit {

/// States of first order and integrals follow the rule for velocities. So do all states of a system that does not tell
/// positions from velocities. Its members are the vectors of one step, allocated once, and the numbers of the method.
class GeneralizedAlpha final : public ImplicitSteps {
 public:
  /// rho: the spectral radius at infinite frequency, from 0 (motions that are not resolved vanish at once) to 1 (energy
  /// stays). fixed: steps of StepSettings::step; then only Newton's iteration uses the tolerances.
  GeneralizedAlpha(FirstOrderSystem&, const StepSettings&, std::unique_ptr<Newton>, double rho, bool fixed);
  void destroy() noexcept override { delete this; }
  Status start(double t, std::span<const double> y) noexcept override;
  Status step(double t_limit) noexcept override;
  Status state_at(double t, std::span<double> y) noexcept override;

 private:
  Trial try_step(double h, double end) noexcept override;
  void accept(double end, double h) noexcept override;
  void forget() noexcept override;
  std::span<const double> last_change() const noexcept override { return std::span(work_).first(states_); }
  Trial prepare(double h) noexcept;
  Trial find_start(double h) noexcept;
  Trial iterate(double h, double end) noexcept;
  bool find_end(double h) noexcept;
  double move_end(double h) noexcept;
  bool find_end_rate(double end) noexcept;
  bool estimate_displacement(double h, double end) noexcept;
  bool estimate_error(double h, double end) noexcept;
  bool displace(double h) noexcept;

  SecondOrderSystem* parts_;  ///< nullptr if the system does not tell them
  std::vector<bool> is_position_;
  double alpha_m_, alpha_f_, gamma_, beta_;
  double newton_gamma_;  ///< of the matrix I − γ ∂f/∂y, in steps
  double shift_;         ///< a belongs to this time after its instant, in steps
  bool fixed_;
  bool turns_ = false;  ///< N has changed along the last displacement
  double origin_ = 0;   ///< of the grid of fixed steps, s
  NewtonPace pace_;
  State a_, last_rate_;    ///< at the start of the step; the derivative at the start of the last step
  State start_a_, end_a_;  ///< of the step that is tried
  State end_, end_rate_;   ///< before correction
  State corrected_, mean_, work_, rates_[4];
  State begin_, begin_rate_, kept_end_, kept_rate_;  ///< of the last step, for states within it
};

}  // namespace polyform::implicit
