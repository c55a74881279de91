// Which legs of a hypotenuse may be zero together with it within a step of a run.
#pragma once

#include <span>
#include <vector>

#include "framework/host/watches/element_events.hpp"

namespace polyform::host::inline watches {

/// A divisor such as hypot(x, y, z) is zero where all its legs are. Each leg passes zero in many other places, where
/// nothing happens. Where all pass zero within one step, the largest of them at an end of the step is one of those that
/// change their signs, and it is no less than the hypotenuse over the root of their number. So a leg that is far
/// shorter than the hypotenuse need not be looked at.
class HypotenuseLegs {
 public:
  explicit HypotenuseLegs(const ElementEvents&);

  /// Begins a step with the values of all event functions at its start.
  void begin(std::span<const double> values);
  /// Looks at another place of the step.
  void see(std::span<const double> values);
  /// Whether a change of the sign of this function may be a pole, or it is no leg.
  bool may_touch(std::size_t function) const { return is_long_[function] != 0; }

 private:
  struct Leg {
    std::size_t function, hypotenuse;
  };
  std::vector<Leg> legs_;
  std::vector<char> is_long_;  ///< per event function
};

}  // namespace polyform::host::watches
