// The plugins whose types a study uses.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/host/reading/description.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/host/registry/plugin_record.hpp"
#include "framework/workbench/studies/factor.hpp"

namespace polyform::apps {

/// Types by kind and name, as plugins offer them.
using TypeNames = std::set<std::pair<std::string, std::string>>;

/// Adds the types of joints, elements and flexible bodies.
void add_types(const host::Description&, TypeNames&);
/// Adds the types that levels of factors name: solvers, integrators, types of elements.
void add_types(const std::vector<host::Factor>&, const host::Catalog&, TypeNames&);
/// The loaded plugins that offer some of the types.
std::vector<const host::PluginRecord*> plugins_with(const TypeNames&, const std::vector<host::PluginRecord>& all);

}  // namespace polyform::apps
