// Options that formulations with a correction of drift have in common.
#pragma once

#include <string_view>

#include "polyform/contract/field.hpp"

namespace polyform {

inline constexpr std::string_view correction_choices[] = {"projection", "none"};

/// The usual meaning of `correction`.
inline constexpr std::string_view both_levels =
    "projection: positions and velocities return to the constraints after each step; none: they drift";

/// `correction`: projection (integer 0) or none (1), after each accepted step.
constexpr FieldSpec correction_option(std::string_view meaning = both_levels) {
  FieldSpec f{"correction", FieldType::choice, "", meaning};
  f.default_text = "projection";
  f.choices = correction_choices;
  return f;
}
/// `tolerance` of the position correction.
constexpr FieldSpec tolerance_option() {
  FieldSpec f{"tolerance", FieldType::number, "m, rad", "largest constraint residual after the projection"};
  f.default_text = "1e-10";
  f.minimum = 0;
  f.exclusive_minimum = true;
  return f;
}

}  // namespace polyform
