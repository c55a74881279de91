// Newton's matrix of an implicit method: an interface that a solver offers to the host, and the host to an integrator,
// by name.
//
// An implicit method for ẏ = f(t, y) solves linear systems with I − γ ∂f/∂y, γ being a step times a number of the
// method. In joint coordinates that is M + γ D + γ² K with the derivatives D and K of all that acts, of which most
// couples neighbours only: a solver that knows the structure of its system solves it at a cost linear in the bodies.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// The matrix may lack what is small beside the rest in a step that resolves the motion: an integrator repeats Newton's
/// iteration until it has converged, so that the matrix decides how fast that is, never where to.
class NewtonMatrix {
 public:
  static constexpr std::string_view interface_name = "polyform.newton_matrix.1";

  /// Takes the derivatives of f at a state; t in s. What was prepared before counts no more. failed: Solver::failure (of
  /// a system: FirstOrderSystem::failure) says why.
  virtual Status linearize(double t, std::span<const double> y) noexcept = 0;
  /// Factorizes I − γ ∂f/∂y as of the last linearize(); γ in s. failed: the matrix is singular, for this γ at least.
  virtual Status prepare(double gamma) noexcept = 0;
  /// The same for a complex γ, as methods of Runge-Kutta type have it; it is held beside the real one.
  virtual Status prepare_complex(double real, double imaginary) noexcept = 0;
  /// x of (I − γ ∂f/∂y) x = right-hand side, in its place. As long as y, or without the last numbers of it that are
  /// integrals: an integral is left as it is.
  virtual void solve(std::span<double> x) noexcept = 0;
  virtual void solve_complex(std::span<double> real, std::span<double> imaginary) noexcept = 0;

 protected:
  ~NewtonMatrix() = default;
};

/// f for Newton's iteration: an interface beside NewtonMatrix. The stiff parts of a system hold each other with loads
/// that leave no acceleration. Their rounding makes the accelerations of light parts uncertain, and to win those digits
/// back costs many times an evaluation; but it moves stiff parts by nothing that counts, for Newton's solutions take it
/// away.
class NewtonDerivative {
 public:
  static constexpr std::string_view interface_name = "polyform.newton_derivative.1";

  /// ydot = f(t, y) with an error e of which (I − γ ∂f/∂y)⁻¹ e, with the real γ prepared last, is rounding. For what is
  /// then solved with that matrix, or one of a γ some ten times as large or small. Without a matrix prepared for the
  /// last linearization it is f. failed: as of the derivative.
  virtual Status derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept = 0;

 protected:
  ~NewtonDerivative() = default;
};

}  // namespace polyform
