// How large the numbers of a system usually are, and where its models hold, as far as the types tell.
#pragma once

#include <span>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "polyform/contract/value_ranges.hpp"

namespace polyform::host::inline conformance {

/// Moves a random number in −1 … 1 into a range: around a middle by that part of the typical size (or of another size
/// if none is told), and then to where the model holds.
double in_range(const ValueRange&, double part, double size_if_untold, double middle = 0);

struct JointSizes {
  std::vector<ValueRange> q, v;
  /// Whether the coordinates have bounds: such a joint makes no turns.
  bool bounded() const;
};
/// The ranges of a joint of the system's view.
JointSizes sizes_of(const System&, const JointData&);

/// Makes modal coordinates of a body so much smaller that its linear modes hold, as far as its type tells
/// (ModeValidity).
void keep_modes_valid(const FlexibleData&, std::span<double> eta);

/// The ranges of one instance of a type, for the numbers of a kind in order.
template <class Type>
std::vector<ValueRange> ranges_of(const Type& type, ValueRanges::Kind kind, std::size_t count,
                                  Strided<const FieldValue> fields) {
  std::vector<ValueRange> all(count);
  const auto* const told = ask<ValueRanges>(type);
  for (std::size_t k = 0; told != nullptr && k < count; ++k) told->describe(kind, k, fields, all[k]);
  return all;
}

}  // namespace polyform::host::conformance
