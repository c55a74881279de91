// What a type may tell of its coordinates, velocities, variables and states: how large they usually are, and where its
// model holds. Conformance tries such values.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "polyform/contract/field.hpp"
#include "polyform/contract/growth.hpp"

namespace polyform {

/// The range of one number, in SI units.
struct ValueRange {
  Size<ValueRange> size{};
  double typical = 0;                                         ///< size of a usual value; 0: not told
  double minimum = -std::numeric_limits<double>::infinity();  ///< where the model of the type holds
  double maximum = std::numeric_limits<double>::infinity();
};

/// What query(ValueRanges::interface_name) of a JointType, ForceType, ModuleType or FlexibleBodyType gives.
class ValueRanges {
 public:
  static constexpr std::string_view interface_name = "polyform.value_ranges.1";
  /// The numbers of one instance.
  enum class Kind : std::int32_t {
    position,  ///< of a joint, q in their order; those of a quaternion are not asked for
    velocity,  ///< of a joint, v in their order
    variable,  ///< of a module, u in their order
    state,     ///< of a force or module, first-order states in their order
    mode       ///< of a flexible body, η in their order
  };
  /// Fills `out` for number k of its kind in an instance with these fields; leaves members that the type does not know.
  virtual void describe(Kind, std::size_t k, Strided<const FieldValue> fields, ValueRange& out) const noexcept = 0;

 protected:
  ~ValueRanges() = default;
};

}  // namespace polyform
