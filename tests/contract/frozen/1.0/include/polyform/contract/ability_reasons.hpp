// Tells why a formulation lacks an ability, if its mathematics is the reason. Formulation::query gives it.
#pragma once

#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

class AbilityReasons {
 public:
  static constexpr std::string_view interface_name = "polyform.ability_reasons.1";

  /// The reason, in words that can follow a colon: "the particles have constant masses, …". It is empty if there is
  /// none. The text lives as long as the formulation.
  virtual std::string_view why_not(Ability) const noexcept = 0;

 protected:
  ~AbilityReasons() = default;
};

}  // namespace polyform
