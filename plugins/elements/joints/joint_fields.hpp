// Fields that the standard joints share, so that they read the same in schema and messages.
#pragma once

#include "polyform/field.hpp"

namespace polyform::joints {

inline constexpr FieldSpec position_field{.name = "position",
                                          .type = FieldType::vector3,
                                          .unit = "m",
                                          .meaning = "where the joint is, in ground as drawn",
                                          .required = true};

constexpr FieldSpec axis_field(std::string_view meaning) {
  return {.name = "axis", .type = FieldType::direction, .unit = "", .meaning = meaning, .required = true};
}

}  // namespace polyform::joints
