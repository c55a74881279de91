// Options that the importers share.
#pragma once

#include <array>

#include "polyform/contract/field.hpp"

namespace polyform::importers {

inline constexpr std::array<std::string_view, 2> base_choices{"fixed", "free"};
inline constexpr std::array<std::string_view, 2> mimic_choices{"coupled", "independent"};

inline constexpr FieldSpec merge_fixed_option{
    .name = "merge_fixed",
    .type = FieldType::boolean,
    .unit = "",
    .meaning = "links on fixed joints become a part of the link that carries them; their names are lost",
    .default_text = "false"};
inline constexpr FieldSpec mimic_option{
    .name = "mimic",
    .type = FieldType::choice,
    .unit = "",
    .meaning = "a joint that mimics another is coupled to it by a constraint, or moves independently of it",
    .default_text = "independent",
    .choices = mimic_choices};

}  // namespace polyform::importers
