// The start of one enforcement of constraints on subsystems, in the words of filtering.
#pragma once

#include "semidefinite_factor.hpp"

namespace polyform::hierarchy {

/// Constraints H̃ a = b̃ (m rows) on subsystems whose blocks carry the estimate a with covariance P; n: unknowns of the
/// blocks that later constraints still need.
struct Innovation {
  Matrix PHt;                           ///< P H̃ᵀ, n × m
  Matrix S;                             ///< H̃ P H̃ᵀ + R, m × m
  Vector residual;                      ///< b̃ − H̃ a, m
  const SemidefiniteFactor& S_inverse;  ///< S^g: ordinary where the rows are independent, else a {1,4}-inverse of H̃P
};

/// Room for intermediate matrices, n × m each, and one vector of m.
struct InnovationScratch {
  double *first, *second, *vector;
};

/// The recursive form of the Udwadia–Kalaba equation, Eqs 4.14–4.16 and, where R is not zero, 4.17–4.18: replaces a (n)
/// and P (n × n) by those of the next level. a = M^{1/2} α; P starts as the identity.
void udwadia_kalaba(const Innovation&, const InnovationScratch&, Vector a, Matrix P) noexcept;

/// The same without square roots of the mass matrix: α in place of a, Π = M^{-1/2} P M^{-1/2} in place of P, so that
/// Π starts as M⁻¹.
void square_root_free(const Innovation&, const InnovationScratch&, Vector alpha, Matrix Pi) noexcept;

}  // namespace polyform::hierarchy
