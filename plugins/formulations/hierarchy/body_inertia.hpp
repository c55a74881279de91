// Inertia of the bodies in the forms that the recursions start from: M⁻¹, M^{-1/2}, and yardsticks where M is singular.
#pragma once

#include <vector>

#include "polyform/system_view.hpp"

namespace polyform::hierarchy {

struct BodyInertia {
  bool singular = false;  ///< no mass, or no (or next to no) inertia about some axis: M⁻¹ is of no use
  double mass = 0;
  Sym3 inverse;               ///< J⁻¹, body axes
  Sym3 inverse_root;          ///< J^{-1/2}, body axes
  double turn = 1, move = 1;  ///< 1/√inertia and 1/√mass of the body's size: units in which its motions compare
};

std::vector<BodyInertia> inertia_of_bodies(const SystemView&);

}  // namespace polyform::hierarchy
