#include "apps/commands/guide.hpp"

#include <fmt/format.h>

#include "apps/text/wrapping.hpp"
#include "framework/host/registry/registry.hpp"

namespace polyform::apps {

namespace {

constexpr std::size_t name_column = 21;

}  // namespace

std::string guide() {
  const host::Registry registry;
  std::string text = R"(Examples:
  polyform check rod.yaml                    is the model sound, and what is it
  polyform run rod.yaml --output rod.csv     its motion, as a table
  polyform run rod.yaml --report rod.html    its motion, as a page for a browser
  polyform view rod.yaml                     a page that follows the file
  polyform evaluate rod.yaml --json          accelerations and reactions
  polyform compare rod.yaml                  the same through all solvers
  polyform compile rod.yaml                  a faster solver for this model
  polyform verify                            problems with known answers
  polyform new joint my-joint                begin a plugin of your own
  polyform schema                            every field of the model file

Solvers found:
)";
  for (const auto& [name, formulation] : registry.catalog().formulations)
    text += wrapped_entry(fmt::format("  {}", name), formulation->meaning(), name_column);
  if (registry.catalog().formulations.empty()) text += "  none; see polyform plugins\n";
  text += "\nIntegrators:\n";
  for (const auto& [name, integrator] : registry.catalog().integrators)
    text += wrapped_entry(fmt::format("  {}", name), integrator->meaning(), name_column);
  if (registry.catalog().integrators.empty()) text += "  none; see polyform plugins\n";
  text +=
      "\nPlugins are looked for in --plugin-path, then POLYFORM_PLUGIN_PATH, then the\n"
      "install location, and never in the working directory unless it is named:\n";
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
