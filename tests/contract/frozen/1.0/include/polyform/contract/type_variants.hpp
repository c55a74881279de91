// One name for several types: laws among which a field chooses may need different states.
#pragma once

#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

/// ForceType::query gives it if another type takes the place of this one for some values of the fields. That type has
/// the same name and the same fields, and is not registered.
class TypeVariants {
 public:
  static constexpr std::string_view interface_name = "polyform.type_variants.1";
  /// The type for an instance with these values, or the asked type itself if none takes its place. Never nullptr.
  virtual const ForceType* variant(Strided<const FieldValue> fields) const noexcept = 0;

 protected:
  ~TypeVariants() = default;
};

}  // namespace polyform
