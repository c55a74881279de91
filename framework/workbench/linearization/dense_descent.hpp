// A search for a static equilibrium by dense matrices of accelerations.
#pragma once

#include "framework/workbench/linearization/equilibrium_equations.hpp"

namespace polyform::host::inline linearization {

/// Of both searches by dense matrices, downhill and by least squares.
inline constexpr std::size_t most_iterations = 200;
/// Below this count of unknowns the dense search takes moments, and also leaves saddles.
inline constexpr Eigen::Index least_by_solver = 40;
/// Digits that second differences of accelerations have: of a stiffness, and of a force.
inline constexpr double digits_of_stiffness = 1e-10;

/// The largest part of a step, in scales.
double step_size(const EquilibriumEquations&, const Eigen::VectorXd& z);
/// The sizes of the accelerations of all coordinates, and after them of the rates of all first-order states, at the
/// present state. The search may choose other independent coordinates as it goes, so no row keeps its size.
Eigen::VectorXd sizes_of(const System&, const SolverMaker&, const EquilibriumEquations&, const EquilibriumRequest&);
/// What may be left of the accelerations and rates of each row where everything that is free rests, by the sizes of
/// what acts. Where that is not met at rest, rounding of the places counts as well, which stiff elements turn into
/// forces; but only if no step leads further. Nothing may be left of what moves along a motion that is
/// hardly restored: the rounding of what is stiff would hide it. That is looked at with less than least_by_solver
/// unknowns.
Eigen::VectorXd allowed(EquilibriumEquations&, const Eigen::VectorXd& sizes, bool at_rest);
/// Whether everything that is free rests.
bool is_balanced(EquilibriumEquations&, const Eigen::VectorXd& sizes, bool at_rest);
/// Goes down the potential energy (equilibrium.hpp), again as long as what acts has become less on the way: what was
/// rounding beside the forces of the start may be none beside those of the end. Then with the finest differences. True
/// when the steps have settled.
bool descend(EquilibriumEquations&, const System&, const SolverMaker&, const EquilibriumRequest&, Eigen::VectorXd sizes,
             std::size_t& iterations);

}  // namespace polyform::host::linearization
