// First-order states that change at events only.
#pragma once

#include <cstddef>
#include <string_view>

namespace polyform {

/// ForceType::query gives it for a type with states whose rate is always zero: the speed at which a contact began, the
/// value that a sampler has read, a force that the host writes. A linear model takes them as constants.
class HeldStates {
 public:
  static constexpr std::string_view interface_name = "polyform.held_states.1";
  /// state: index among the states of the type's descriptor.
  virtual bool is_held(std::size_t state) const noexcept = 0;

 protected:
  ~HeldStates() = default;
};

}  // namespace polyform
