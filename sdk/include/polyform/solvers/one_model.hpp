// A formulation that was made for one model: Formulation::query gives a OneModel.
#pragma once

#include <string_view>

namespace polyform {

/// Lives as long as the formulation, which refuses all other models.
struct OneModel {
  static constexpr std::string_view interface_name = "polyform.one_model.1";
  std::string_view model{};  ///< in words, for people
};

}  // namespace polyform
