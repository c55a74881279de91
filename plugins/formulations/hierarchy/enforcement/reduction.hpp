// The model of a subsystem on its admissible motions, M ν = f + SᵀF with α = ᾱ + S ν, and its reduction to the motions
// that later constraints need: those of its interface.
#pragma once

#include "../matrix.hpp"

namespace polyform::hierarchy {

/// A model in d coordinates; n: unknowns of the interface blocks. On entry of condense() before, on return after the
/// condensation.
struct Reduction {
  Matrix S;                    ///< n × d
  Matrix M;                    ///< d × d, in units in which blocks have an inertia of about 1
  Vector f;                    ///< d
  Matrix C;                    ///< k × d: from these coordinates to those of the parts; turned along with them
  const double* free_lengths;  ///< n: squared lengths that the rows of S had in the parts, their scale
  // The eliminated coordinates: ν₂ = offset − follow ν₁.
  double* memory_follow;  ///< d × n
  double* memory_offset;  ///< d
  Index kept = 0;
  double lightest = 1;  ///< least inertia of an eliminated coordinate that has some, relative to the largest
  Index eliminated() const { return M.cols() - kept; }
  Matrix follow() const { return {memory_follow, eliminated(), kept}; }
  Vector offset() const { return {memory_offset, eliminated()}; }
};

/// Turns the coordinates so that only the first ones, as many as S has rank, move the interface, and eliminates the
/// others: they obey M₂₂ ν₂ = f₂ − M₂₁ ν₁. The reduced model stands in the upper left corners; nothing is done if d ≤
/// n. False if M₂₂ is singular: the subsystem can move in ways that nothing outside of it feels and nothing inside
/// resists. The sum of these motions, ν₂, then stands in `free`, and the reduced model is that without them. For the
/// same reason this is the only way in which [SᵀM; A] of the whole system can lack rank. work: d numbers; free: as
/// many.
bool condense(Reduction&, double* work, double* free) noexcept;

}  // namespace polyform::hierarchy
