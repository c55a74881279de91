// Declared fields of elements and formulations, read against their declaration.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "framework/host/reading/names.hpp"
#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

class FormulaReader;

/// Reads fields by FieldSpec. Texts, lists and tables are kept in the description.
class FieldReader {
 public:
  /// formulas: what reads {expression: …}; nullptr if none can stand.
  FieldReader(const Names& names, Description& storage, FormulaReader* formulas = nullptr)
      : names_(names), storage_(storage), formulas_(formulas) {}

  /// One value per spec, in order, from the entries of a map; a missing one gets its default, or is reported when
  /// required. A field `group.name` is the entry `name` of the map under the key `group`. Fields that are `provided`
  /// are left to the caller.
  Fields read(MapReader&, Strided<const FieldSpec>, std::span<const std::string_view> provided = {});

  /// One value; nothing after a report.
  std::optional<FieldValue> value(const Value&, const FieldSpec&);

  /// The declared default, read once per spec. A default that breaks its own declaration is reported at `where`.
  FieldValue default_value(const FieldSpec&, const Value& where);

 private:
  bool scalar(const Value&, const FieldSpec&, FieldValue&);
  bool choice(const Value&, const FieldSpec&, FieldValue&);
  bool list(const Value&, const FieldSpec&, FieldValue&);
  bool matrix(const Value&, const FieldSpec&, FieldValue&);
  bool functions(const Value&, const FieldSpec&, FieldValue&);
  bool attachment(const Value&, const FieldSpec&, FieldValue&);
  bool attachments(const Value&, const FieldSpec&, FieldValue&);

  const Names& names_;
  Description& storage_;
  FormulaReader* formulas_;
  std::unordered_map<const FieldSpec*, FieldValue> defaults_;
};

/// What is in a file that a value names (named_path); nothing after a report.
std::optional<std::string> content_of(const Value&, const std::string& name, const std::string& model);
/// A list of rows of as many numbers each, one after the other; nothing after a report.
std::optional<std::vector<double>> read_rows(const Value&, std::string_view unit, std::string_view expected,
                                             std::size_t& rows);

/// What a field takes, for messages: "a number in N/m of at least 0".
std::string expectation(const FieldSpec&);

}  // namespace polyform::host::reading
