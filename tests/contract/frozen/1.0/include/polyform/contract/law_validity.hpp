// What an element tells of the range in which its law holds, so that a motion beyond it does not come without a word.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "polyform/contract/growth.hpp"

namespace polyform {

/// Where a law is used farthest beyond its range.
struct LawExcess {
  Size<LawExcess> size{};
  std::size_t instance = 0;              ///< index within the batch
  double value = 0;                      ///< of the quantity that is limited; 0: nothing to tell
  std::array<std::size_t, 2> markers{};  ///< of the batch: the two bodies between which that is
};

/// EventSource::query of a batch gives it, where the law of its type holds only while some quantity is small. The host
/// asks at the ends of accepted steps and warns, once for each instance that was the farthest beyond at one of them.
/// Nothing allocates or throws.
class LawValidity {
 public:
  static constexpr std::string_view interface_name = "polyform.law_validity.1";
  /// Of all instances the largest value, at the state of the last call of evaluate_events().
  virtual void farthest(LawExcess& out) const noexcept = 0;
  /// Up to which value the law holds.
  virtual double most() const noexcept = 0;
  /// The quantity with its unit, for messages: "the overlap of its shapes, in half widths of the smaller one,".
  virtual std::string_view quantity() const noexcept = 0;
  /// What happens beyond, and what to do: two sentences, the last without a full stop.
  virtual std::string_view advice() const noexcept = 0;

 protected:
  ~LawValidity() = default;
};

}  // namespace polyform
