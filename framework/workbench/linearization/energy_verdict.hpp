// The stability of an equilibrium by its energies, without a matrix of all states.
#pragma once

#include <optional>

#include "framework/workbench/linearization/equilibrium.hpp"
#include "framework/workbench/linearization/stability.hpp"

namespace polyform::host::inline linearization {

/// From so many states on the energies are asked before a linear model is made: its eigenvalues take seconds there.
inline constexpr std::size_t judged_by_energy_from = 256;

/// Judges an equilibrium at rest of a tree (TreeEnergy) by Kelvin's and Tait's theorems (N. G. Chetayev, The Stability
/// of Motion, 1961; D. R. Merkin, Introduction to the Theory of Stability, 1997, Ch. 6): with a symmetric stiffness
/// matrix K
///
///   K > 0 and damping G > 0 (its symmetric part)   every disturbance dies out
///   K > 0 and no damping                           oscillations go on
///   K not ≥ 0, G ≥ 0 and symmetric                 some disturbance grows; all growth is along real λ, and the fastest
///                                                  is the largest λ at which λ² M + λ G + K is singular
///
/// Nothing where none of these is certain, where a law has a kink at the point, or where something changes with time.
/// The verdict has no modes.
std::optional<Stability> judge_by_energy(const System&, const SolverMaker&, const Equilibrium&);

}  // namespace polyform::host::linearization
