// How large the masses of a system are: scales of its sparse system, and which bodies lack mass or inertia.
#pragma once

#include <vector>

#include "layout.hpp"

namespace polyform::particles {

struct MassScales {
  MassScales(const SystemView&, const Layout&);
  bool any_singular() const;

  struct Body {
    double scale = 0;       ///< kg; that of a neighbour if the body has no mass
    double added = 0;       ///< kg, the scale of what the factors add to a singular body
    bool singular = false;  ///< without mass, or without inertia about some axis
  };
  std::vector<Body> bodies;
  std::vector<double> heaviest;  ///< per particle, kg: largest scale of the bodies that share it
};

}  // namespace polyform::particles
