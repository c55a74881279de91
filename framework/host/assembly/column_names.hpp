// Names of the columns that results have for the numbers of elements.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "framework/host/expressions/formula_force.hpp"

namespace polyform::host::inline assembly {

/// The name of an element, before those of its numbers; "" if it names them in full itself: the signals of a model
/// and what follows them.
template <class Group>
std::string_view element_name(const Group& group, std::string_view name) {
  return group.type->query(expressions::FormulaForce::full_names) != nullptr ? std::string_view() : name;
}
/// The name of the column for a number of an element.
inline std::string column_name(std::string_view element, std::string_view number) {
  return element.empty() ? std::string(number) : fmt::format("{}.{}", element, number);
}

}  // namespace polyform::host::inline assembly
