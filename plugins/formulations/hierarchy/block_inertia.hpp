// Inertia of the blocks of unknowns in the forms that the recursions start from: M⁻¹, M^{-1/2}, and scales where M
// is singular.
#pragma once

#include <vector>

#include "levels.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::hierarchy {

/// The inertia of a rigid body, a flexible body or a module.
struct BlockInertia {
  bool singular = false;  ///< no inertia, or next to none, for some motion: M⁻¹ is of no use
  bool rigid = true;      ///< M = diag(J, m 1), constant in body axes
  double mass = 0;
  Sym3 inverse;               ///< J⁻¹, body axes
  Sym3 inverse_root;          ///< J^{-1/2}, body axes
  double turn = 1, move = 1;  ///< 1/√inertia and 1/√mass of the body's size: units in which its motions compare
  std::vector<double> units;  ///< of a block that is no rigid body: these units per unknown
};

/// The inertias of all bodies, then of all modules. A body that is light compared with those that joints connect it to
/// is described like one without mass: its inverse would drown theirs.
std::vector<BlockInertia> inertia_of_blocks(const SystemView&, std::span<const LevelConstraint>);

}  // namespace polyform::hierarchy
