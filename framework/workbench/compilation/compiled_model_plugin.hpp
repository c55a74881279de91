// A solver, compiled: its source, the plugin made of it, and the formulation in that.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/registry/registry.hpp"
#include "framework/workbench/compilation/compiled_plugin.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline compilation {

/// The name of the formulation that a model file is compiled to: compiled-arm of models/arm.yaml.
std::string compiled_name(std::string_view model_file);

/// What it is, in one line, for people.
std::string compiled_meaning(std::string_view model_file);

struct SourceRequest {
  std::string name;                     ///< compiled_name()
  std::string model;                    ///< compiled_meaning()
  std::span<Solver* const> variants{};  ///< numbers in which they differ stay open (model_source.hpp)
};
/// The source of a solver. Failure (bad_input), with the reason, where it has none. formulation: the solver's, for
/// messages.
std::string source_of(Solver&, std::string_view formulation, const SourceRequest&);

/// A plugin of a compiled model, loaded apart from all others.
class CompiledModelPlugin {
 public:
  /// What compile_plugin() fails with, and Failure (plugin) where the plugin is refused.
  CompiledModelPlugin(const std::string& name, const std::string& source, const std::string& version);

  const CompiledPlugin& made() const { return made_; }
  const Formulation& formulation() const { return *formulation_; }
  /// Values of the formulation's options, from those of the formulation that it was compiled from.
  std::vector<FieldValue> options(const Formulation& from, std::span<const FieldValue> values) const;

 private:
  CompiledPlugin made_;
  std::unique_ptr<Registry> registry_;
  const Formulation* formulation_ = nullptr;
};

}  // namespace polyform::host::inline compilation
