// The equations of motion solved with twice the digits of a double: for what the solvers' own digits are judged by.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "polyform/solvers/absolute_equations.hpp"

namespace polyform::host::inline simulation {

/// x of M x − Aᵀ λ = f, A x = b at the evaluated motions, with the loads that are set: as a system of numbers in double
/// precision it is solved to the last digit, by a sparse factorization with about 32 digits. Nothing where the system
/// does not determine x, or so badly that these digits are not enough. Rows that depend on others are weighed by
/// least squares.
std::optional<std::vector<double>> solve_finely(const AbsoluteEquations&);

/// The same where each number of the equations is another by up to one rounding of a double: how far this is from
/// solve_finely() is how far any solver may be that works with doubles. seed: which numbers.
std::optional<std::vector<double>> solve_disturbed(const AbsoluteEquations&, std::uint64_t seed);

}  // namespace polyform::host::simulation
