// What an integrator that chooses among methods has chosen: an interface of an integrator, by name.
#pragma once

#include <string_view>

namespace polyform {

class IntegratorChoices {
 public:
  static constexpr std::string_view interface_name = "polyform.integrator_choices.1";

  /// What was chosen since the start, and why: a sentence without a full stop. Valid until the next step.
  virtual std::string_view choices() noexcept = 0;

 protected:
  ~IntegratorChoices() = default;
};

}  // namespace polyform
