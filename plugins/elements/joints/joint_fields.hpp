// Fields that the standard joints share, so that they read the same in schema and messages.
#pragma once

#include "polyform/contract/joint.hpp"

namespace polyform::joints {

/// Axes that make a smaller angle (rad) are one direction, and those that differ by less from a right angle are
/// perpendicular: what they span is lost in rounding of data.
inline constexpr double one_direction = 1e-6;

inline constexpr FieldSpec position_field{.name = "position",
                                          .type = FieldType::vector3,
                                          .unit = "m",
                                          .meaning = "where the joint is, in ground as drawn",
                                          .required = true,
                                          .tied_to_ground = true};

constexpr FieldSpec axis_field(std::string_view meaning) {
  return {.name = "axis",
          .type = FieldType::direction,
          .unit = "",
          .meaning = meaning,
          .required = true,
          .tied_to_ground = true};
}

/// Three translations along the axes of the base body: no constraint on where the joint's point is.
inline void add_free_translations(const JointInstance& joint, JointDefinition& definition) noexcept {
  const Mat3 R_base = rotation_matrix(joint.base.orientation);
  for (std::size_t k = 0; k < 3; ++k) definition.add_primitive(Primitive::Kind::translation, R_base.column(k));
}

}  // namespace polyform::joints
