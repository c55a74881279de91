// Options that the importers share.
#pragma once

#include <array>

#include "polyform/contract/field.hpp"

namespace polyform::importers {

inline constexpr std::array<std::string_view, 2> base_choices{"fixed", "free"};
inline constexpr std::array<std::string_view, 2> mimic_choices{"coupled", "independent"};

inline constexpr std::array<std::string_view, 2> keep_choices{"keep", "drop"};

inline constexpr FieldSpec limits_option{.name = "limits",
                                         .type = FieldType::choice,
                                         .unit = "",
                                         .meaning = "the ends of joints' ways: forces of type joint-limit, or left out",
                                         .default_text = "drop",
                                         .choices = keep_choices};
/// default_text: what the programs of the format do.
constexpr FieldSpec friction_option(std::string_view default_text) {
  return {.name = "friction",
          .type = FieldType::choice,
          .unit = "",
          .meaning = "dry friction in joints: forces of type dry-friction, or left out",
          .default_text = default_text,
          .choices = keep_choices};
}
inline constexpr FieldSpec urdf_base_option{.name = "base",
                                            .type = FieldType::choice,
                                            .unit = "",
                                            .meaning = "how the root link is held: welded to ground, or free",
                                            .default_text = "fixed",
                                            .choices = base_choices};
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

inline constexpr FieldSpec contacts_option{
    .name = "contacts",
    .type = FieldType::choice,
    .unit = "",
    .meaning = "shapes that touch: contacts of the compliant law hunt-crossley, or left out",
    .default_text = "drop",
    .choices = keep_choices};
inline constexpr FieldSpec controls_option{
    .name = "controls",
    .type = FieldType::choice,
    .unit = "",
    .meaning =
        "controls of actuators: external signals, which are inputs of an FMU, or left out, so that they stay zero",
    .default_text = "drop",
    .choices = keep_choices};
inline constexpr FieldSpec packages_option{
    .name = "packages",
    .type = FieldType::text,
    .unit = "",
    .meaning =
        "folders in which packages of ROS and models of Gazebo lie, with colons between them: meshes are looked "
        "for there too",
    .default_text = ""};
inline constexpr FieldSpec model_folder_option{
    .name = "model_folder",
    .type = FieldType::text,
    .unit = "",
    .meaning =
        "the folder from which the model names files of meshes; import takes that of -o. Not given: from the root "
        "of the file system",
    .default_text = ""};

inline constexpr std::string_view controls_dropped =
    "it stays zero; with the option controls=keep it is an external signal";
inline constexpr std::string_view moves_independently =
    "the joint moves independently; with the option mimic=coupled it follows";

}  // namespace polyform::importers
