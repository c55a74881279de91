// First-order states that change at events only.
#pragma once

#include <cstddef>
#include <string_view>

namespace polyform {

/// ForceType::query gives it for a type with states whose rate is always zero: the speed at which a contact began, what
/// a sampler has read, a force that the host writes. A linear model has no room for them: they are constants in it.
class HeldStates {
 public:
  static constexpr std::string_view interface_name = "polyform.held_states.1";
  /// Of a state of the type's descriptor.
  virtual bool is_held(std::size_t state) const noexcept = 0;

 protected:
  ~HeldStates() = default;
};

}  // namespace polyform
