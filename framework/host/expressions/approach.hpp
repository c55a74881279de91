// Event functions that are no events: steps end where they are zero, or by what a table does ahead, so that nothing
// narrow there is stepped over.
#pragma once

#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// As the crossing of such a function: no change of its sign is an event. For elements of the host's own.
inline constexpr Crossing approached = static_cast<Crossing>(2);
/// As the crossing of the argument of a table: steps end where the table may do something that they would jump over.
/// For elements of the host's own, which have a ReachSource.
inline constexpr Crossing passed = static_cast<Crossing>(5);

/// What a batch gives that has such functions.
class ReachSource {
 public:
  static constexpr std::string_view interface_name = "polyform.host.reaches";
  /// The longest step where the function of this event has a value and a rate, s.
  virtual double longest_step(std::size_t event, double value, double rate) const noexcept = 0;

 protected:
  ~ReachSource() = default;
};

}  // namespace polyform::host::inline expressions
