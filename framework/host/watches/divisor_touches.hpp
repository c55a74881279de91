// Which divisors may touch zero within a step of a run: elsewhere a change of the sign of their parts means nothing.
#pragma once

#include <span>
#include <vector>

#include "framework/host/watches/element_events.hpp"

namespace polyform::host::inline watches {

/// A divisor such as x² or hypot(x, y) touches zero without a change of its sign: its slopes, or x and y, change theirs
/// there, and in many other places. It is near zero where its rate would take it there within some steps, as x², x⁴ and
/// hypot(x, y) are at both ends of a step in which they touch.
class DivisorTouches {
 public:
  explicit DivisorTouches(const ElementEvents&);

  /// Begins a step of this length, s, with the values and rates of all event functions at its start.
  void begin(std::span<const double> values, std::span<const double> rates, double length);
  /// Looks at another place of the step.
  void see(std::span<const double> values, std::span<const double> rates, double length);
  /// Whether a change of the sign of this function may be a pole, or it has no such divisor.
  bool may_touch(std::size_t function) const { return is_near_[function] != 0; }

 private:
  /// A slope or another function that is zero where the divisor touches zero.
  struct Part {
    std::size_t function, divisor;
  };
  std::vector<Part> parts_;
  std::vector<char> is_near_;  ///< per event function
};

}  // namespace polyform::host::watches
