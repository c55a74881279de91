// Model files in the formats of other programs, which importers turn into the text of a model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/registry/catalog.hpp"

namespace polyform::host::inline reading {

/// The treatment of one kind of thing in a file.
struct FoundThing {
  Treatment treatment = Treatment::not_honoured;
  std::string what, remark;
  std::size_t count = 0;
  int line = 0, column = 0;
};

/// The result of a conversion.
struct Conversion {
  std::string text;  ///< a model after an import, a file after an export
  std::vector<FoundThing> findings;

  /// The number of things of this kind; those kept back belong to others.
  std::size_t count(Treatment) const;
};

using ImportOptions = std::vector<std::pair<std::string, std::string>>;

/// "honoured", "converted", "not honoured", "within".
std::string_view name_of(Treatment) noexcept;

/// The importer for a file of that name and content; nullptr for a model file.
const ImporterType* importer_for(const Catalog&, std::string_view file, std::string_view bytes);
/// Whether the bytes are XML, which no model file is.
bool looks_like_xml(std::string_view bytes) noexcept;

/// Imports bytes of that file; nothing after an error in the diagnostics.
std::optional<Conversion> import_model(const ImporterType&, const std::string& file, std::string_view bytes,
                                       const ImportOptions&, Diagnostics&);

/// One line on what an import did not keep, such as "joint/limit (7), …"; empty if it kept all.
std::string summary_of_losses(const Conversion&);

struct Description;
/// The model as JSON text for an exporter, with everything that its bodies, joints and elements have, given or not.
/// Chains and parts are written as what they make.
std::string resolved_model(const Description&);
/// Writes the model in the importer's format; nothing after an error in the diagnostics, as for a model that it cannot
/// write.
std::optional<Conversion> export_model(const ImporterType&, const Description&, Diagnostics&);

}  // namespace polyform::host::inline reading
