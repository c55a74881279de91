// Levels of a hierarchy of models (Orsino 2017, section 2): which constraints the model of each level has.
#pragma once

#include <cstddef>
#include <vector>

#include "polyform/system_view.hpp"

namespace polyform::hierarchy {

/// The constraints of one joint or one constraint element.
struct Tie {
  std::vector<std::size_t> bodies;  ///< that it ties, each once, without ground
  std::size_t rows = 0;
  std::size_t level = 0;  ///< the lowest level whose model has it, from 1
};

/// Where the modules come from.
enum class Modules { automatic, found, flat };

/// Ties of all joints, then of all constraint elements; without levels.
std::vector<Tie> ties_of(const SystemView&);

/// Sets the levels of the ties after the model's named modules and returns the number of levels. A body is a module of
/// level 1, alone or as the only member of a named one; a named module stands one level above the highest of its
/// members; the system is the module of the last level. A constraint belongs to the smallest module that has all its
/// bodies, ground belonging to every module.
std::size_t set_named_levels(const SystemView&, std::vector<Tie>&);

}  // namespace polyform::hierarchy
