#include "apps/session/used_plugins.hpp"

#include <algorithm>

namespace polyform::apps {

namespace {

template <class Items>
void add_types_of(const char* kind, const Items& items, TypeNames& types) {
  for (const auto& item : items)
    if (item.type != nullptr) types.emplace(kind, item.type->name());
}

}  // namespace

void add_types(const host::Description& model, TypeNames& types) {
  add_types_of("joint", model.joints, types);
  add_types_of("force", model.forces, types);
  add_types_of("constraint", model.constraints, types);
  add_types_of("module", model.modules, types);
  for (const host::BodyItem& body : model.bodies)
    if (body.flexible != nullptr) types.emplace("flexible body", body.flexible->name());
}

void add_types(const std::vector<host::Factor>& factors, const host::Catalog& catalog, TypeNames& types) {
  for (const host::Factor& factor : factors) {
    const host::Levels* const levels = factor.levels();
    if (levels == nullptr) continue;
    for (const std::string& level : levels->texts)
      host::for_each_kind(
          [&](const char* kind, const auto& names) {
            if (names.contains(level)) types.emplace(kind, level);
          },
          catalog);
  }
}

std::vector<const host::PluginRecord*> plugins_with(const TypeNames& types,
                                                    const std::vector<host::PluginRecord>& all) {
  std::vector<const host::PluginRecord*> used;
  for (const host::PluginRecord& plugin : all)
    if (plugin.status == host::PluginStatus::loaded &&
        std::ranges::any_of(plugin.offers, [&](const host::Offer& offer) {
          return types.contains({offer.kind, offer.name});
        }))
      used.push_back(&plugin);
  return used;
}

}  // namespace polyform::apps
