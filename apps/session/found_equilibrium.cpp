#include "apps/session/found_equilibrium.hpp"

#include <fmt/format.h>

#include "apps/text/equilibrium_text.hpp"
#include "apps/text/linear_text.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "framework/workbench/linearization/energy_verdict.hpp"

namespace polyform::apps {

FoundEquilibrium find_equilibrium(const host::Catalog& catalog, const host::System& system, const SolverChoice& choice,
                                  const EquilibriumArguments& arguments, const host::FloquetProgress& progress) {
  const host::SolverMaker make = maker_of(choice);
  check_sizes(system, make);
  FoundEquilibrium found{host::find_equilibrium(system, make, request_of(arguments, system)), {}, {}};
  if (!found.state.balanced) return found;
  if (found.state.linear_states >= host::judged_by_energy_from) {
    found.stability = host::judge_by_energy(system, make, found.state);
    if (found.stability) return found;
  }
  if (found.state.linear_states > host::most_states) {
    found.unjudged =
        fmt::format("not judged: the linear model would have {} states, and dense matrices are made up to {}",
                    found.state.linear_states, host::most_states);
    return found;
  }
  host::Linearization linear = host::linearize(system, make, found.state.point, {{}, {"none"}});
  found.stability =
      host::judge(system, make, found.state.point,
                  {host::preferred_adaptive_integrator(catalog.integrators), {}, {}, true, progress}, linear);
  return found;
}

Json found_equilibrium_json(const host::System& system, const SolverChoice& choice,
                            const EquilibriumArguments& arguments, const FoundEquilibrium& found) {
  Json out = {
      {"model", system.description().name}, {"solver", choice.formulation->name()}, {"steady", arguments.steady}};
  out.update(equilibrium_json(system, found.state, arguments.steady));
  out["stability"] = Json();
  if (found.stability) out.update(stability_json(*found.stability));
  if (!found.unjudged.empty()) out["unjudged"] = found.unjudged;
  return out;
}

}  // namespace polyform::apps
