// Static equilibria and steady operating points.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/linearization/driven.hpp"
#include "framework/workbench/linearization/lasting.hpp"
#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

struct EquilibriumRequest {
  bool steady = false;              ///< independent velocities stay as in the initial state; otherwise they are zero
  std::vector<InputField> trimmed;  ///< free to balance
  std::vector<std::string> held;    ///< patterns of position coordinates, or joints, that keep their initial values
  /// Positions and first-order states from which the search starts, in place of the initial ones; not closed. Where
  /// they cannot be closed, it starts from the initial state. Not with held coordinates.
  const CanonicalState* near = nullptr;
};

/// Stands in place of a unit if the number is the part of a velocity that does not follow a symmetry.
inline constexpr std::string_view of_no_symmetry = "of no symmetry";

/// A generalized force that nothing balances.
struct Unbalanced {
  std::string coordinate;  ///< name of the velocity that it would change
  std::string_view unit;   ///< N, N m, or 1/s for a first-order state
  double force = 0, acceleration = 0;
};

/// A speed that a steady motion keeps as it is given.
struct KeptSpeed {
  std::string coordinate;
  std::string_view unit;
  double speed = 0;
};

struct Equilibrium {
  OperatingPoint point;
  bool balanced = false;  ///< nothing that is free accelerates
  /// The joints and elements that are driven at the state. If there are any, the state is part of a driven motion and
  /// no equilibrium: it lasts as long as the drives stay as they are.
  std::vector<Driven> driven;
  Lasting lasting;                     ///< whether a balanced state goes on so
  std::vector<Unbalanced> unbalanced;  ///< the largest first; empty when balanced
  std::vector<KeptSpeed> kept;         ///< in steady motion, those of independent coordinates that are not zero
  double residual = 0;                 ///< largest acceleration left, in the units of the coordinates
  std::string warning;                 ///< of accelerations there that lost digits; or empty
  std::size_t iterations = 0, evaluations = 0;
  std::size_t linear_states = 0;  ///< that a linear model about the point would have
};

/// Finds positions, first-order states and trimmed inputs for which all accelerations of independent velocities and all
/// rates of first-order states vanish, from the initial state at its time, in independent coordinates on closed states.
///
/// At rest without trimmed inputs and held coordinates it descends: the accelerations a from rest are M⁻¹Q, Q the
/// generalized forces and M the inertia from the kinetic energy, and with K = −∂Q/∂δ the step is
///
///   Δ = Σ φᵢ (φᵢᵀ Q) / |λᵢ|,   K φ = λ M φ, φᵀMφ = 1:
///
/// Newton's step if all stiffnesses λ are positive, and a step away from a saddle or maximum of the potential energy if
/// some are not; so an unstable equilibrium is found only by starting in it. Steps are limited, and halved if the force
/// along them turns around. Where a force acts along a motion that is soft beside a stiff one, the equations are solved in
/// like sizes as well, and that step is taken if the next one shows it to lead nearer. In other cases, and under integral action, Levenberg and Marquardt's method is used on all
/// accelerations and rates: with too few unknowns it ends at the least squares. Large systems descend by the solver's
/// own Newton matrix instead (implicit_descent.hpp), where there is one.
Equilibrium find_equilibrium(const System&, const SolverMaker&, const EquilibriumRequest&);

}  // namespace polyform::host::linearization
