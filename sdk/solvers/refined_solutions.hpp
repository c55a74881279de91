// What counts as solved where a sparse system is solved in doubles and refined: numbers that the solver in absolute
// coordinates and that on particles share. Their reasons stand in sdk/NUMERICS.md.
#pragma once

namespace polyform {

/// A residual of this size relative to the terms it is made of is round-off.
inline constexpr double round_off = 2e-15;
/// Below this a residual that does not halve any more is that of rows that nearly depend on others.
inline constexpr double nearly_round_off = 1e-12;

/// In the factors, a body without mass or inertia for some motion gets this part of what its neighbours have. The
/// refinement takes the effect away.
inline constexpr double delta_of_singular = 1e-4;

/// From this residual of positions on the constraints are nearly linear: one set of factors serves for the rest of the
/// way. A step of the correction of positions may leave the second part of its equations: the next step mends it.
inline constexpr double near_by = 1e-4, of_a_step = 1e-3;

/// A load without regular pattern moves whatever can move. It is solved for up to the first part of it; where a
/// solution leaves the second part or more, nothing balances the load.
namespace load_without_pattern {
inline constexpr double wanted = 1e-9, unbalanced = 1e-3;
}  // namespace load_without_pattern

}  // namespace polyform
