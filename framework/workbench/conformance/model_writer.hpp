// Random models as model text, from whatever element types are loaded: the kit knows no type by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workbench/conformance/example_fields.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/growth.hpp"
#include "polyform/contract/rows_by_formulas.hpp"

namespace polyform::host::inline conformance {

/// Writes the items of one model. Fields are filled with random values that their FieldSpec allows; whether the type
/// accepts them together is found out when the model is read.
class ModelWriter {
 public:
  /// Types that the examples have instances of get the field values of one of these.
  /// sparing: fewer fields that may be left out are given.
  ModelWriter(Random& random, const ExampleFields& examples, bool sparing = false)
      : random_(random), examples_(examples), sparing_(sparing) {}

  /// A rigid body at a random pose; its name.
  std::string add_body();
  /// A body at a random pose without mass and inertia.
  std::string add_massless_body();
  /// A body of a flexible type, its frame that of ground.
  std::string add_flexible_body(std::string_view type, Strided<const FieldSpec>);
  /// Where something may be attached to such a body: its frame origin, or a point that the examples attach to.
  Vec3 attachment();
  /// position: what the field of that name gets; random where not given. extra: further entries, such as ", cut: true".
  void add_joint(std::string_view name, std::string_view type, Strided<const FieldSpec>, std::string_view base,
                 std::string_view moving, std::string_view extra = {}, const std::optional<Vec3>& position = {});
  /// The last joint once more under another name.
  void repeat_joint(std::string_view name);
  /// section: "forces", "constraints" or "modules".
  void add_element(std::string_view section, std::string_view name, std::string_view type, Strided<const FieldSpec>);
  /// A constraint whose rows are formulas: fields that hold such rows get formulas of the bodies and joints so far.
  void add_rows_by_formulas(std::string_view name, std::string_view type, Strided<const FieldSpec>,
                            const RowsByFormulas&);
  void remove_last_element(std::string_view section);

  std::string text() const;
  /// A required field has nothing that could be written, such as the name of a file: no other draw helps.
  bool lacks_a_field() const { return lacks_a_field_; }

 private:
  std::string& lines_of(std::string_view section);
  std::string add_rigid_body(const std::string& inertia);
  std::string entries(std::string_view type, Strided<const FieldSpec>, const std::optional<Vec3>& position = {});
  std::string value(const FieldSpec&);
  std::string number(const FieldSpec&);
  std::string integer(const FieldSpec&);
  std::string function(const FieldSpec&);
  template <class Entry>
  std::string list(Entry entry);
  std::string formula(RowsByFormulas::Level);
  std::string body();

  bool is_given(const FieldSpec& field) { return field.required || (random_.coin() && !(sparing_ && random_.coin())); }

  Random& random_;
  const ExampleFields& examples_;
  const bool sparing_;
  bool lacks_a_field_ = false;
  int list_size_ = 0;  ///< of the instance that is written; 0: one value in place of a list
  Vec3 gravity_{0.3, -9.7, 1.1};
  std::vector<std::string> bodies_, joints_;
  std::string body_lines_, joint_lines_, force_lines_, constraint_lines_, module_lines_;
};

}  // namespace polyform::host::conformance
