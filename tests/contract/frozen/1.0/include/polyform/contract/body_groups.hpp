// Forces between the surfaces of many bodies as one element.
#pragma once

#include <string_view>

#include "polyform/contract/field.hpp"
#include "polyform/contract/growth.hpp"

namespace polyform {

/// ForceType::query gives it for a type that stands for an instance of another type, a BodyPairs, between each two of
/// its bodies. What it takes does not grow with the pairs that are far apart: `contacts` in a model takes it for many
/// bodies. Fields that have the same name in both types are passed on.
class BodyGroups {
 public:
  static constexpr std::string_view interface_name = "polyform.body_groups.1";
  /// The name of the other type.
  virtual std::string_view pair_type() const noexcept = 0;
  /// Whether a group has the law that these values of the fields of the other type ask for.
  virtual bool covers(Strided<const FieldValue> fields) const noexcept = 0;
  /// The name of the field of type bodies.
  virtual std::string_view bodies_field() const noexcept = 0;
  /// That of a field of type numbers: per body 1 or 2, where bodies of side 1 touch those of side 2 only, or 3.
  virtual std::string_view sides_field() const noexcept = 0;
  /// That of a field of type numbers: pairs that do not touch, two places in the bodies for each.
  virtual std::string_view apart_field() const noexcept = 0;

 protected:
  ~BodyGroups() = default;
};

}  // namespace polyform
