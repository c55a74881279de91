// How deep shapes may lie in each other under a compliant law, and what is told beyond.
#pragma once

#include <algorithm>

#include "polyform/contract/law_validity.hpp"

namespace polyform::contact {

/// The deepest overlap of a batch, in half widths of the smaller shape. Compliant laws are made for overlaps that are
/// small beside the shapes: Hertz takes surfaces for paraboloids, and beyond the middle of a shape its other side is
/// nearer, so that the force pushes a body on that came from this side.
class OverlapLimit : public LawValidity {
 public:
  void farthest(LawExcess& out) const noexcept final {
    out.instance = deepest_.instance;
    out.value = deepest_.value;
    out.markers = deepest_.markers;
  }
  double most() const noexcept final { return deepest_overlap; }
  std::string_view quantity() const noexcept final {
    return "the overlap of the shapes, in half widths of the smaller one,";
  }
  std::string_view advice() const noexcept final {
    return "Shapes that overlap more may pass through each other. Make the contact stiffer, or the approach slower";
  }

  /// No step is longer than this depth, m, over the speed. So the way through both shapes, four half widths and more,
  /// has steps that end beyond the limit.
  static double longest_way(double half_width, double depth) noexcept { return std::min(half_width, depth); }

 protected:
  ~OverlapLimit() = default;
  void forget() noexcept { deepest_ = {}; }
  /// first, second: markers of the batch.
  void see(std::size_t instance, double overlap, std::size_t first, std::size_t second) noexcept {
    if (overlap > deepest_.value) deepest_ = {.instance = instance, .value = overlap, .markers = {first, second}};
  }

 private:
  static constexpr double deepest_overlap = 0.5;
  LawExcess deepest_;
};

}  // namespace polyform::contact
