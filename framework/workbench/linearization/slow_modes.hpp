// Slow modes beside fast ones.
//
// Of a slow mode A x = λ x is what is left of large terms, so that A knows λ to rounding of the fastest motion only: of
// a stiff rod of hundreds of hinges nothing is left. The inverse of A has no such terms. Where the solver gives
// Newton's matrix (newton_matrix.hpp), it solves (I − γ A) X = I from masses, dampings and stiffnesses as they are, not
// from their quotients, and
//
//   (X − I) / γ = A (I − γ A)⁻¹    has the eigenvalues    α = λ / (1 − γ λ)
//
// with the eigenvectors and the zeros of A. With γ about the time of the slowest motion, α has the digits that λ lacks.
#pragma once

#include "framework/workbench/linearization/linearize.hpp"
#include "framework/workbench/linearization/modes.hpp"

namespace polyform::host::inline linearization {

/// The modes of a linearization, which is that of the point. Slow modes that A knows to few digits are found so; they
/// are left as they are where the solver has no such matrix, or one that lacks terms of A; and the model must be a tree
/// in which all numbers of the solver's state are independent. Of many states the solver's matrix is asked before slow
/// motions get a matrix of their own (modes.hpp), and where rounding of A surely hides slow motions, all modes come
/// from two such matrices, with a long γ and a short one.
Modes find_modes_at(const System&, const SolverMaker&, const OperatingPoint&, const Linearization&);

}  // namespace polyform::host::linearization
