// The rows of a module that none of its own variables can follow.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline assembly {

/// Combinations z of a module's rows that none of its variables enters: zᵀ A = 0, those of holonomic rows first.
struct FreeRows {
  std::vector<std::size_t> used;  ///< rows of the module that are combined
  Eigen::MatrixXd combinations;   ///< used rows × combinations, orthonormal
  Eigen::Index holonomic = 0;     ///< how many of them hold positions too
};

/// Considers all rows, at the module's matrices last evaluated.
FreeRows free_rows_of_motions(const ModuleSet::Module&);
/// Considers holonomic rows alone; only variables count that have an integral among the states.
FreeRows free_rows_of_positions(const ModuleSet::Module&);

}  // namespace polyform::host::assembly
