// Newton's matrix of an implicit method: an interface that a solver offers to the host, and the host to an integrator,
// by name.
//
// An implicit method for ẏ = f(t, y) solves linear systems with I − γ ∂f/∂y, where γ is the step times a constant of
// the method. In joint coordinates that is M + γ D + γ² K with the derivatives D and K of all that acts. Most of these
// couple neighbours only: a solver that knows the structure of its system solves it at a cost linear in the bodies.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// The matrix may lack terms that are small in a step that resolves the motion: an integrator repeats Newton's
/// iteration until it has converged, so the matrix decides how fast it converges, never to what.
class NewtonMatrix {
 public:
  static constexpr std::string_view interface_name = "polyform.newton_matrix.1";

  /// Takes the derivatives of f at a state; t in s. Matrices prepared before are not valid any more. failed:
  /// Solver::failure (of a system: FirstOrderSystem::failure) says why.
  virtual Status linearize(double t, std::span<const double> y) noexcept = 0;
  /// Factorizes I − γ ∂f/∂y as of the last linearize(); γ in s. failed: the matrix is singular, for this γ at least.
  virtual Status prepare(double gamma) noexcept = 0;
  /// The same for a complex γ, as methods of Runge-Kutta type have it. Both matrices are kept side by side.
  virtual Status prepare_complex(double real, double imaginary) noexcept = 0;
  /// Solves (I − γ ∂f/∂y) x = b in place: x holds b on entry. x is as long as y, or lacks the integrals at its end,
  /// which are left as they are.
  virtual void solve(std::span<double> x) noexcept = 0;
  virtual void solve_complex(std::span<double> real, std::span<double> imaginary) noexcept = 0;

 protected:
  ~NewtonMatrix() = default;
};

/// A cheaper f for Newton's iteration. The stiff parts of a system hold each other with large loads that cancel. Their
/// rounding makes the accelerations of light parts uncertain, and to win those digits back costs many times an
/// evaluation. Newton's iteration does not need them: its matrix turns this error into a change of the state that is
/// rounding.
class NewtonDerivative {
 public:
  static constexpr std::string_view interface_name = "polyform.newton_derivative.1";

  /// ydot = f(t, y) + e with an error e for which (I − γ ∂f/∂y)⁻¹ e is rounding, γ being the real one prepared last.
  /// Use it where that matrix, or one with a γ up to some ten times as large or small, is applied to the result.
  /// Without a matrix prepared since the last linearization e is zero. failed: as for the derivative.
  virtual Status derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept = 0;

 protected:
  ~NewtonDerivative() = default;
};

}  // namespace polyform
