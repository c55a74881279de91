// Differential equations, as the host writes them. Nothing here knows mechanics.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/corrected_quaternions.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/integral_sizes.hpp"
#include "polyform/contract/newton_matrix.hpp"
#include "polyform/contract/noted_corrections.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/contract/stiffest_element.hpp"
#include "polyform/contract/unilateral_system.hpp"

namespace polyform::host::inline integration {

/// ẏ = f(t, y), and what is done to y after each step. Times in s.
class Ode {
 public:
  virtual ~Ode() = default;
  virtual std::size_t size() const noexcept = 0;
  /// See FirstOrderSystem::integrals.
  virtual std::size_t integrals() const noexcept { return 0; }
  /// How large these count at least in tolerances; or none.
  virtual IntegralSizes* integral_sizes() noexcept { return nullptr; }
  /// ydot = f(t, y); false when it cannot be computed there. y may lack the integrals.
  virtual bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept = 0;
  /// Called once after each accepted step, before the next: removes drift from y. false when it cannot.
  virtual bool correct(double t, std::span<double> y) noexcept = 0;
  /// Why the last call gave false: a sentence without a full stop; may be empty.
  virtual std::string_view failure() const noexcept { return {}; }
  /// Called after a derivative there that is not finite: failure() may then name the numbers that are not.
  virtual void find_not_finite(double t, std::span<const double> y) noexcept { (void)t, (void)y; }
  /// What else the equation depends on, constant within a step; or none. `correct` may change it.
  virtual DiscreteState* discrete() noexcept { return nullptr; }
  /// What tells positions from velocities, of size() numbers; or none. failure() is that of position_rates too.
  virtual SecondOrderSystem* second_order() noexcept { return nullptr; }
  /// Where correct() changes the lengths of quaternions and nothing else: their places; or none.
  virtual CorrectedQuaternions* corrected_quaternions() noexcept { return nullptr; }
  /// What takes note of such corrections where others make them; none where corrected_quaternions() is none.
  virtual NotedCorrections* noted_corrections() noexcept { return nullptr; }
  /// Newton's matrix, of the states without integrals; or none. Made when it is asked for. failure() is that of
  /// linearize too.
  virtual NewtonMatrix* newton_matrix() noexcept { return nullptr; }
  /// The derivative as far as Newton's iteration feels it; see NewtonDerivative.
  virtual bool derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept {
    return derivative(t, y, ydot);
  }
  /// What tells which element a motion belongs to; or none. Made when it is asked for.
  virtual StiffestElement* stiffest_element() noexcept { return nullptr; }
  /// The rows that hold at times, for a method that carries them in its steps; or none.
  virtual UnilateralSystem* unilateral() noexcept { return nullptr; }
};

}  // namespace polyform::host::integration
