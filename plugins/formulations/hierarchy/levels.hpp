// Levels of a hierarchy of models (Orsino 2017, section 2): which constraints the model of each level has.
#pragma once

#include <cstddef>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::hierarchy {

/// Stands in place of the number of a subsystem, a block or a merge if there is none.
constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The constraints of one joint, one constraint element or one module. They constrain blocks of unknowns: the bodies,
/// and after these the modules. Blocks are the subsystems of level 1.
struct LevelConstraint {
  std::vector<std::size_t> blocks;  ///< that it constrains, each once, without ground
  std::size_t rows = 0;
  std::size_t level = 0;  ///< the lowest level whose model has it, from 1
};

/// Where the subsystems come from.
enum class Subsystems { automatic, found, flat };

/// Number of blocks of unknowns: bodies and modules.
std::size_t blocks_of(const SystemView&);

/// Constraints of all joints, of all constraint elements, then of all modules; without levels.
std::vector<LevelConstraint> constraints_of(const SystemView&);

/// Sets the levels of the constraints by the model's named subsystems and returns the number of levels. A body is a
/// subsystem of level 1, alone or as the only member of a named one; a named subsystem stands one level above the
/// highest of its members; the system is the subsystem of the last level. A constraint belongs to the smallest
/// subsystem that has all its bodies, where ground belongs to every subsystem. A module is a member of the smallest
/// subsystem of several members that has all the bodies to which the module is attached.
std::size_t set_named_levels(const SystemView&, std::vector<LevelConstraint>&);

/// The subsystem of a level's model to which each block belongs: blocks that constraints up to the level join, numbered
/// by their first blocks.
std::vector<std::size_t> subsystems_at(const std::vector<LevelConstraint>&, std::size_t blocks, std::size_t level);

}  // namespace polyform::hierarchy
