// Rows that hold at times, of which few are asked for: between events only those that touch have forces.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/unilateral.hpp"

namespace polyform {

/// ForceBatch::query gives it next to UnilateralRows, of elements with many points that are open most of the time. The
/// steps of an integrator then ask for the points that touch, and for all that may close only where it looks for
/// events.
class AskedRows {
 public:
  static constexpr std::string_view interface_name = "polyform.asked_rows.1";
  /// UnilateralRows::evaluate_points for some points, in ascending order. The output has room for all of them; what is
  /// written there of others, and in what UnilateralPlaces gives, is not read.
  virtual void evaluate_asked(const EventInput&, std::span<const std::size_t> points, UnilateralOutput&) noexcept = 0;
  /// Per instance, without looking at its points: how far its surfaces are apart at least, m, below zero where that is
  /// not known; and a speed that no two of its surfaces come near each other faster than, m/s.
  virtual void bound_gaps(const EventInput&, std::span<double> apart, std::span<double> speeds) noexcept = 0;

 protected:
  ~AskedRows() = default;
};

}  // namespace polyform
