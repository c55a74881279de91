// The registry: finds plugins, refuses those that do not fit, loads the rest and lists what they offer.
#pragma once

#include <concepts>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/registry/catalog.hpp"
#include "framework/host/registry/plugin_record.hpp"
#include "framework/host/registry/search_path.hpp"

namespace polyform::host::inline registry {

class Library;
struct Candidate;

/// Loads everything on the search path once, when constructed, and throws nothing but std::bad_alloc: a file that does
/// not fit is a record with a refusal. If one plugin (same name, kind and version) has builds for several instruction
/// sets, the one that the search path names as a file is loaded, or else the best that this CPU supports. A plugin from
/// a folder that the user named stands in for one of its name in the installation; a copy, the same byte by byte,
/// counts as the same file.
class Registry {
 public:
  explicit Registry(const RegistryOptions& options = {});
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  const Catalog& catalog() const noexcept { return catalog_; }
  /// All candidates, in the order of search.
  const std::vector<PluginRecord>& plugins() const noexcept { return records_; }
  /// The places searched, in this order; problem: why a place was not searched.
  const std::vector<SearchedPlace>& search_path() const noexcept { return places_; }

  /// Keeps the libraries of the plugins loaded as long as a copy of it exists. An object that a type of the catalog
  /// made, or that points into the catalog, needs such a copy if it may live longer than the registry.
  std::shared_ptr<const void> keep_alive() const noexcept;

  /// Name of the plugin that offers the type; empty if no plugin does.
  template <class Type>
  requires(!std::convertible_to<const Type*, std::string_view>) std::string plugin_of(const Type* type)
  const { return plugin_at(type); }
  /// The same for the name of a type, of any kind.
  std::string plugin_of(std::string_view type_name) const;

 private:
  using Libraries = std::vector<Library>;

  std::vector<std::vector<Candidate*>> group_builds(std::vector<Candidate>&);
  bool joins(const std::vector<Candidate*>& group, const Candidate&);
  void load_builds(std::vector<Candidate*> builds);
  bool load(const Candidate&);
  bool names_are_free(PluginRecord&, const Catalog& offered) const;
  std::string plugin_at(const void* type) const;

  bool trial_;
  std::vector<SearchedPlace> places_;
  std::vector<PluginRecord> records_;
  std::shared_ptr<Libraries> libraries_;  ///< declared before what points into them
  Catalog catalog_;
  std::map<const void*, std::size_t> owners_;  ///< from a type to the number of its record
};

/// All checks on one file, with a trial load in a child process first, so that a plugin that crashes is refused as
/// well. Status loaded means that it would be loaded, were its names free. Nothing stays loaded.
PluginRecord check_plugin_file(const std::filesystem::path&);

}  // namespace polyform::host::registry
