// Reading: model text to Description. The only room that knows file syntax.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"
#include "framework/host/reading/import.hpp"
#include "framework/host/registry/catalog.hpp"

namespace polyform::host::inline reading {

struct Node;
/// Documents that were parsed before, by the canonical path of their file.
using ParsedFiles = std::map<std::string, const Node*, std::less<>>;

struct ReadingOptions {
  bool lenient = false;            ///< as the key of the model: see Description::lenient
  ImportOptions import_options{};  ///< of the importer that reads a file in another program's format
  ParsedFiles parsed{};            ///< these stand for files that the model includes; they outlive the reading
};

/// The text of a model in the format of model files, and the name that messages about it have.
struct ModelText {
  std::string text, name;
};
/// Reads a file of any format: one of another program is imported, with a warning that tells what is lost. Nothing
/// after an error in the diagnostics. missing_plugin as for read_model.
std::optional<ModelText> read_model_source(const std::string& file, const Catalog&, Diagnostics&, bool& missing_plugin,
                                           const ImportOptions& = {});

/// Reads a model file (YAML; JSON is a subset), or a file in a format that a loaded importer reads. Everything wrong in
/// it is reported, with file, line, column and path; the description is complete only when nothing was
/// (diagnostics.failed()). Never throws for any content. missing_plugin is set when types are named that no loaded
/// plugin offers and nothing else is wrong: then the exit code is Exit::plugin, and after any other error
/// Exit::bad_input.
Description read_model(const std::string& file, const Catalog&, Diagnostics&, bool& missing_plugin,
                       const ReadingOptions& = {});

/// The same from text; `file` is the name used in messages.
Description read_model_text(std::string_view text, const std::string& file, const Catalog&, Diagnostics&,
                            bool& missing_plugin, const ReadingOptions& = {});

/// The same from a document that was parsed before (document.hpp) and outlives the call.
Description read_model_tree(const Node& root, const std::string& file, const Catalog&, Diagnostics&,
                            bool& missing_plugin, const ReadingOptions& = {});

/// Places of given options: the first ones stand in the model file, at these places; the rest have no place.
struct OptionPlaces {
  std::string_view file;
  std::span<const OptionPlace> places;
};

/// Whose options are read, for messages.
struct OptionOwner {
  std::string_view kind, name;     ///< "formulation", and which
  std::string_view flag;           ///< of the command line, "--option"
  std::string_view group, member;  ///< where options stand in a model: `group.member.options`, or `group.options`

  static constexpr OptionOwner formulation(std::string_view name) {
    return {"formulation", name, "--option", "solver", ""};
  }
  static constexpr OptionOwner integrator(std::string_view name) {
    return {"integrator", name, "--integrator-option", "simulation", "integrator"};
  }
};

/// Option values of a formulation or an integrator: declared defaults, overlaid by key=value texts (YAML scalars, lists
/// or maps) in order. Reports unknown keys, bad values and missing required options, with the path --option <key>, or
/// in the model file with their place and a path such as solver.options.<key>. The texts and lists live in `storage`;
/// options that name bodies or joints mean those of `storage`.
std::vector<FieldValue> read_options(Strided<const FieldSpec> specs,
                                     const std::vector<std::pair<std::string, std::string>>& given, const OptionOwner&,
                                     Description& storage, Diagnostics&, const OptionPlaces& = {});
/// Those of a formulation.
inline std::vector<FieldValue> read_options(Strided<const FieldSpec> specs,
                                            const std::vector<std::pair<std::string, std::string>>& given,
                                            std::string_view formulation, Description& storage,
                                            Diagnostics& diagnostics, const OptionPlaces& places = {}) {
  return read_options(specs, given, OptionOwner::formulation(formulation), storage, diagnostics, places);
}

/// JSON Schema (draft 2020-12) of the model file, with the fields of every loaded element type.
std::string model_schema(const Catalog&);

}  // namespace polyform::host::reading
