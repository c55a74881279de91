// Options of the reader of SDF.
#pragma once

#include "options.hpp"

namespace polyform::importers {

enum SdfOption : std::size_t {
  sdf_base,
  sdf_merge,
  sdf_mimic,
  sdf_limits,
  sdf_friction,
  sdf_contacts,
  sdf_packages,
  sdf_place
};
inline constexpr std::array sdf_options{
    FieldSpec{.name = "base",
              .type = FieldType::choice,
              .unit = "",
              .meaning =
                  "how links are held that nothing carries: welded to ground, or free, also where the file welds "
                  "them; not given: as the file says",
              .choices = base_choices},
    merge_fixed_option,
    mimic_option,
    limits_option,
    friction_option("keep"),
    contacts_option,
    packages_option,
    model_folder_option};

}  // namespace polyform::importers
