// How commands and the library get a model: the plugins that were found, and the reading of a file.
#pragma once

#include <memory>
#include <vector>

#include "apps/session/arguments.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"
#include "framework/host/registry/registry.hpp"

namespace polyform::apps {

/// The types of loaded plugins, the object that keeps the plugins loaded, and all files that were looked at.
struct Plugins {
  const host::Catalog* catalog = nullptr;
  std::shared_ptr<const void> libraries;
  const std::vector<host::PluginRecord>* found = nullptr;
};

/// Warns of places that were not searched and of files that were refused. Failure (plugin, already said) if two plugins
/// have one name: the order of a search must not decide which of two laws is used.
void warn_of_refused(const host::Registry&);

/// Reads the file of any format that is known; as host::read_model.
host::Description read(const ModelArguments&, const host::Catalog&, host::Diagnostics&, bool& missing_plugin);

}  // namespace polyform::apps
