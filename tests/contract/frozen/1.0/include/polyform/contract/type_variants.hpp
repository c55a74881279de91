// One name for several types: a law that a field chooses may need other states than the next.
#pragma once

#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

/// ForceType::query gives it where another type stands for instances with some field values. That type has the same
/// name and the same fields, and is not registered.
class TypeVariants {
 public:
  static constexpr std::string_view interface_name = "polyform.type_variants.1";
  /// The type for an instance with these values; the asked type itself where none other stands for it. Never nullptr.
  virtual const ForceType* variant(Strided<const FieldValue> fields) const noexcept = 0;

 protected:
  ~TypeVariants() = default;
};

}  // namespace polyform
