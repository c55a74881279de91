// What the loaded plugins offer, by name.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "polyform/contract/device.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform::host::inline registry {

/// Types by name, in alphabetical order. Pointers stay valid while the Registry or its keep_alive() lives.
template <class Type>
using Named = std::map<std::string, const Type*, std::less<>>;

struct Catalog {
  Named<Formulation> formulations;
  Named<JointType> joints;
  Named<ForceType> forces;
  Named<FlexibleBodyType> flexible_bodies;
  Named<ModuleType> modules;
  Named<ConstraintType> constraints;
  Named<IntegratorType> integrators;
  Named<ImporterType> importers;
  Named<DeviceType> devices;
};

/// The entry of that name, or nullptr.
template <class Type>
const Type* find(const Named<Type>& names, std::string_view name) {
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

/// Calls visit(kind, names...) for each kind of type, with the names of that kind in each of the catalogs.
template <class Visit, class... Catalogs>
void for_each_kind(Visit&& visit, Catalogs&... catalogs) {
  visit("formulation", catalogs.formulations...);
  visit("integrator", catalogs.integrators...);
  visit("importer", catalogs.importers...);
  visit("device", catalogs.devices...);
  visit("joint", catalogs.joints...);
  visit("force", catalogs.forces...);
  visit("flexible body", catalogs.flexible_bodies...);
  visit("module", catalogs.modules...);
  visit("constraint", catalogs.constraints...);
}

}  // namespace polyform::host::registry
