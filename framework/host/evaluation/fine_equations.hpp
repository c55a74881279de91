// The equations of motion solved with twice the digits of a double, to judge the solvers' own digits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "polyform/solvers/absolute_equations.hpp"

namespace polyform::host::inline evaluation {

/// Solves M x − Aᵀ λ = f, A x = b for x, at the evaluated motions and with the loads that are set. The numbers of the
/// system are doubles; a sparse factorization with about 32 digits finds x to the last digit of a double. The result is
/// empty if the system does not determine x, or only with more digits than these. Rows that depend on others are
/// weighed by least squares.
std::optional<std::vector<double>> solve_finely(const AbsoluteEquations&);

/// The same, after each number of the equations was changed by up to one rounding of a double. The distance of this
/// result from that of solve_finely() is the error that any solver with doubles may have. seed: chooses the changes.
std::optional<std::vector<double>> solve_disturbed(const AbsoluteEquations&, std::uint64_t seed);

}  // namespace polyform::host::evaluation
