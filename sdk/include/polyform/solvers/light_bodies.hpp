// Bodies whose own mass is lost next to the masses that move along with them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace polyform {

/// Below this part of its neighbours' mass a body counts as one without mass.
inline constexpr double negligible_mass = 1e-8;

/// Per body, whether it is next to massless compared with the bodies that constraints connect it to, directly or
/// through others like it, and lies between parts of the system. A body that hangs on the rest by one constraint alone
/// moves by its own inertia, however small, and is not light. mass: kg, may be zero; constraints: for each that has
/// rows its bodies, without ground (one body alone is held by ground).
std::vector<bool> light_bodies(std::span<const double> mass, const std::vector<std::vector<std::size_t>>& constraints);

}  // namespace polyform
