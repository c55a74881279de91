// Why a formulation lacks an ability, where that has a reason in its mathematics. Offered by Formulation::query.
#pragma once

#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

class AbilityReasons {
 public:
  static constexpr std::string_view interface_name = "polyform.ability_reasons.1";

  /// To follow a colon: "the particles have constant masses, …". Empty where there is none to tell. The text lives as
  /// long as the formulation.
  virtual std::string_view why_not(Ability) const noexcept = 0;

 protected:
  ~AbilityReasons() = default;
};

}  // namespace polyform
