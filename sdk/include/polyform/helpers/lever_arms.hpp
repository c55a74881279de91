// How far bodies reach from their places to the points on them: the size of rounding in the places of these points.
#pragma once

#include <cstddef>

#include "polyform/contract/force.hpp"

namespace polyform {

/// Sum of the distances (m) from the frame origin of marker k's body to the marker and to the centre of mass; 0 on
/// ground. A solver may place a body by either, so that the rounding of the marker's place is of this size even where
/// the marker lies at the ground origin.
inline double lever_arm(const ElementInstance& instance, std::size_t k) noexcept {
  const Marker& marker = instance.markers[k];
  if (is_ground(marker.body)) return 0;
  const double to_mass = k < instance.inertias.size() ? norm(instance.inertias[k].center_of_mass) : 0;
  return norm(marker.point) + to_mass;
}

}  // namespace polyform
