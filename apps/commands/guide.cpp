#include "apps/commands/guide.hpp"

#include <fmt/format.h>

#include "framework/host/registry/registry.hpp"

namespace polyform::apps {

std::string guide() {
  const host::Registry registry;
  std::string text = R"(Examples:
  polyform check rod.yaml                       what a model is, and whether it is sound
  polyform run rod.yaml --output rod.csv        integrate, and write a table of results
  polyform evaluate rod.yaml --json             accelerations and reactions at the start
  polyform compare rod.yaml                     the same model through all solvers
  polyform run rod.yaml --report rod.html       plots and animation as one page, for a browser
  polyform view rod.yaml                        a page that follows the file and its run
  polyform verify                               problems with known answers through all solvers
  polyform new joint my-joint                   begin a plugin of your own
  polyform schema                               every field of the model file

Solvers found:
)";
  for (const auto& [name, formulation] : registry.catalog().formulations)
    text += fmt::format("  {:<12} {}\n", name, formulation->meaning());
  if (registry.catalog().formulations.empty()) text += "  none; see polyform plugins\n";
  text += "\nIntegrators:\n";
  for (const auto& [name, integrator] : registry.catalog().integrators)
    text += fmt::format("  {:<12} {}\n", name, integrator->meaning());
  if (registry.catalog().integrators.empty()) text += "  none; see polyform plugins\n";
  text +=
      "\nPlugins are looked for in --plugin-path, then POLYFORM_PLUGIN_PATH, then the install location, and never in\n"
      "the working directory unless it is named:\n";
  for (const host::SearchedPlace& place : registry.search_path())
    text += fmt::format("  {} ({})\n", place.path.string(), place.origin);
  text += R"(
Results go to the output stream, messages to the error stream. Exit codes:
  0    done
  1    the simulation failed; output so far is kept
  2    bad command line or model
  3    no such plugin, or plugin refused
  130  interrupted; results so far are kept)";
  return text;
}

}  // namespace polyform::apps
