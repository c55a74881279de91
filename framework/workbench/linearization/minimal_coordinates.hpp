// Which coordinates of a system are independent.
//
// All coordinates are the velocity coordinates of the tree joints, then the modes: n in all. A deviation of the
// positions is δ (n numbers): for a joint with q̇ = N(q) v the coordinates become q + N(q) δ, scaled to unit length if
// they are a quaternion, so that δ of a ball is a small rotation vector in base axes. Constraints leave some of δ and
// some of the velocities independent; the rest follows.
#pragma once

#include <string>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/workbench/linearization/canonical_state.hpp"

namespace polyform::host::inline linearization {

/// What Gaussian elimination with complete pivoting finds in constraint rows: equations rows[k] determine the
/// coordinates dependent[k]; the other rows follow from these.
struct Elimination {
  std::vector<std::size_t> rows, dependent, independent;
};

/// One coordinate of a system.
struct Coordinate {
  std::string position, velocity;  ///< names: `pin.q`, `ball.turn[0]`, `beam.eta[0]`; `pin.v`, `beam.etadot[0]`
  std::string_view position_unit, velocity_unit;
  double scale = 1;  ///< a deviation of this size is a large one
};

/// The n coordinates in order, with names as in result columns (`turn` for the rotation vector of a quaternion).
std::vector<Coordinate> coordinates_of(const SystemView&);
/// Values of the n coordinates' positions at a state; zero if the position is a small rotation.
std::vector<double> position_values(const SystemView&, const CanonicalState&);
/// A length of the system's size, m: the largest distance between neighbouring joints and mass centres; 1 if none.
double length_scale(const SystemView&);

/// The choice of independent coordinates at a state. Positions obey the holonomic constraints, velocities all
/// constraints. The independent velocities are among those of the independent positions; with nonholonomic constraints
/// there are fewer.
struct MinimalCoordinates {
  Elimination position, velocity;
  Elimination state;  ///< first-order states: variables of modules follow from motions (ModuleStates)

  std::size_t positions() const { return position.independent.size(); }
  std::size_t velocities() const { return velocity.independent.size(); }
  std::size_t states() const { return state.independent.size(); }
};

/// Writes the positions that lie δ from those of a state; the rest of `out` is left alone.
void displace(const SystemView&, const CanonicalState& from, std::span<const double> delta, CanonicalState& out);

/// Makes the choice at a state. Coordinates with the largest coefficients become dependent, so that the independent
/// ones determine them well. Among equals, joints nearer to the root stay independent, and joints of the user before
/// those that the host added. wanted: coordinates that stay independent if the constraints allow it. A row of an
/// element restricts positions if its residual changes with them as its coefficients say; for a rolling disc only one
/// of three does.
MinimalCoordinates choose_coordinates(const SystemView&, double t, const CanonicalState&,
                                      const std::vector<char>& wanted = {});
/// How far the most sensitive dependent coordinate moves beside an independent one at a state, both in large amounts of
/// theirs; infinity where the choice does not determine it.
double largest_lever(const SystemView&, double t, const CanonicalState&, const MinimalCoordinates&);

}  // namespace polyform::host::linearization
