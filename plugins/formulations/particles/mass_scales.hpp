// How large the masses of a system are: scales of its sparse system, and which bodies lack mass or inertia.
#pragma once

#include <span>
#include <vector>

#include "element_constraints.hpp"
#include "layout.hpp"

namespace polyform::particles {

struct MassScales {
  /// elements: constraints that tie bodies together, besides joints.
  MassScales(const SystemView&, const Layout&, std::span<const ElementConstraint> elements = {});
  bool any_singular() const;

  struct Body {
    double scale = 0;  ///< kg; that of a neighbour if the body has no mass
    double added = 0;  ///< kg, the scale of what the factors add to a singular body
    /// kg; of a light body that of a neighbour: what a loop that passes it moves is as heavy as that.
    double in_loops = 0;
    bool singular = false;  ///< without mass, or without inertia about some axis
    bool light = false;     ///< of a mass that is lost next to its neighbours' (light_bodies.hpp)
  };
  std::vector<Body> bodies;
  std::vector<double> heaviest;  ///< per particle, kg: largest scale of the bodies that share it
};

}  // namespace polyform::particles
