// The description of a plugin, as text and as JSON.
#pragma once

#include <string>

#include "apps/text/json_output.hpp"
#include "framework/host/registry/registry.hpp"

namespace polyform::apps {

/// A plugin with all it offers. For a loaded formulation: what it supports, its source and its options.
Json plugin_json(const host::PluginRecord&, const host::Catalog&);

/// The same as a few lines: name, version, file, what it offers, or why it is not loaded.
std::string plugin_text(const host::PluginRecord&);

/// A table of abilities and solvers; if a solver lacks an ability and says why, the reason stands below.
std::string ability_table(const host::Catalog&);

/// Options of a plugin's formulations and fields of its element types, a line each.
std::string offer_details(const host::PluginRecord&, const host::Catalog&);

}  // namespace polyform::apps
