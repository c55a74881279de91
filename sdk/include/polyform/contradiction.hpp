// What makes constraints contradict each other, in one wording for all solvers.
#pragma once

#include "polyform/system_view.hpp"

namespace polyform {

/// Without a full stop. Only what the system can have is named.
inline const char* causes_of_contradiction(const SystemView& view) noexcept {
  return view.constraints.empty()
             ? "Likely causes: velocities that the mechanism cannot have in this position, a limit position or another "
               "singular one, or a very light body between heavy ones"
             : "Likely causes: two prescribed motions of one thing, velocities that the mechanism cannot have in this "
               "position, a limit position or another singular one, or a very light body between heavy ones";
}

}  // namespace polyform
