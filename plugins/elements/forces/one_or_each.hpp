// Fields that give one number for all coordinates of an element, or one for each.
#pragma once

#include "polyform/contract/force.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::forces {

inline double entry(std::span<const double> values, std::size_t k) {
  return values.size() == 1 ? values[0] : values[k];
}

/// Reports a field with neither one value nor as many as needed. owner: what has them, "the joint has 3
/// velocity coordinates".
inline bool check_count(const FieldValue& value, const FieldSpec& spec, std::size_t needed, std::string_view owner,
                        std::size_t instance, std::size_t field, FieldSink& sink) {
  const std::size_t given = value.numbers.size();
  if (given == 1 || given == needed) return true;
  const Message remedy = needed == 1 ? Message("Give one value.") : Message("Give one value for all, or {}.", needed);
  sink.report(Severity::error, instance, field, Message("{} values given for {}, but {}", given, spec.name, owner),
              remedy);
  return false;
}

}  // namespace polyform::forces
