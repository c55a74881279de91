// An equilibrium or steady motion and its stability, as the command and the library ask for it.
#pragma once

#include <optional>

#include "apps/session/operating_point.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/json_output.hpp"
#include "framework/workbench/linearization/stability.hpp"

namespace polyform::apps {

struct FoundEquilibrium {
  host::Equilibrium state;
  std::optional<host::Stability> stability;  ///< where the state is balanced
  std::string unjudged;                      ///< why a balanced state has no stability, or ""
};

/// Failure as check_sizes, request_of and host::find_equilibrium.
FoundEquilibrium find_equilibrium(const host::Catalog&, const host::System&, const SolverChoice&,
                                  const EquilibriumArguments&, const host::FloquetProgress&);
Json found_equilibrium_json(const host::System&, const SolverChoice&, const EquilibriumArguments&,
                            const FoundEquilibrium&);

}  // namespace polyform::apps
