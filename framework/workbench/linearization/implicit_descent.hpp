// A search for a static equilibrium at a cost linear in the bodies.
#pragma once

#include <optional>
#include <span>

#include "framework/workbench/linearization/minimal_coordinates.hpp"
#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

/// Where a descent ended.
struct Descended {
  CanonicalState state;  ///< at rest
  std::size_t steps = 0;
};

/// Goes down the potential energy from a state at rest, by steps Δ of
///
///   (M + γ D + γ² K) Δ = γ² Q,
///
/// with the inertia M, the derivatives D and K of all that acts, and its generalized forces Q: implicit Euler's step of
/// length γ from rest, after which the system rests again. It is solved by the solver's own Newton matrix, so it costs
/// what an implicit integrator's step costs. Short steps follow the forces; as γ grows they become Newton's. A step is
/// shortened that is long in the scales of the coordinates, goes uphill, or goes far past the lowest place on its way.
/// This is pseudo-transient continuation: C. T. Kelley, D. E. Keyes, SIAM J. Numer. Anal. 35 (1998) 508-523.
///
/// coordinates: of the view. Nothing where the solver has no NewtonMatrix, or modules act, whose inertia it does not
/// know.
std::optional<Descended> descend_implicitly(const SystemView&, double t, Solver&, const CanonicalState& start,
                                            std::span<const Coordinate> coordinates);

}  // namespace polyform::host::linearization
