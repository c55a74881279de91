// Slow modes beside fast ones.
//
// Of a slow mode A x = λ x is what is left of large terms, so that A knows λ to rounding of the fastest motion only: of a
// stiff rod of hundreds of hinges nothing is left. The inverse of A has no such terms. Where the solver gives Newton's
// matrix (newton_matrix.hpp), it solves (I − γ A) X = I from masses, dampings and stiffnesses as they are, not from
// their quotients, and
//
//   (X − I) / γ = A (I − γ A)⁻¹    has the eigenvalues    α = λ / (1 − γ λ)
//
// with the eigenvectors and the zeros of A. With γ about the time of the slowest motion, α has the digits that λ lacks.
#pragma once

#include "framework/workbench/linearization/linearize.hpp"
#include "framework/workbench/linearization/modes.hpp"

namespace polyform::host::inline linearization {

/// Puts slow modes in the place of those that A knows to few digits. They are left as they are where all have digits
/// enough, and where the solver has no such matrix, or one that lacks terms of A; and the model must be a tree in which
/// all numbers of the solver's state are independent. The linearization is that of the point.
void refine_slow_modes(const System&, const SolverMaker&, const OperatingPoint&, const Linearization&, Modes&);

}  // namespace polyform::host::linearization
