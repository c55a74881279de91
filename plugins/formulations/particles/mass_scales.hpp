// How large the masses of a system are: scales of its sparse system, and which bodies lack mass or inertia.
#pragma once

#include <vector>

#include "layout.hpp"

namespace polyform::particles {

struct MassScales {
  MassScales(const SystemView&, const Layout&);
  bool any_singular() const;

  struct Body {
    double scale = 0;       ///< kg, of a neighbour where the body has none
    double added = 0;       ///< kg, scale of what a singular one gets in the factors
    bool singular = false;  ///< without mass, or without inertia about some axis
  };
  std::vector<Body> bodies;
  std::vector<double> heaviest;  ///< per particle, kg: largest scale of the bodies that share it
};

}  // namespace polyform::particles
