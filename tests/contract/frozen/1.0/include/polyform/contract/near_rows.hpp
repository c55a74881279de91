// Rows that hold at times between many bodies, as one element: only what is near has rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/unilateral.hpp"

namespace polyform {

/// ForceBatch::query gives it in place of UnilateralRows where the points come and go with the motion. ForceType::query
/// answers to the same name with any pointer but nullptr. Only integrators that carry such rows themselves
/// (unilateral_system.hpp) can have them.
class NearRows {
 public:
  static constexpr std::string_view interface_name = "polyform.near_rows.1";
  /// Whether the batches of a force type give it.
  static bool are_of(const ForceType& type) noexcept { return type.query(interface_name) != nullptr; }

  /// Finds the points that may close within `step`, s, at twice the present speeds, in an order that depends on the
  /// present alone: instance after instance, and in each by pair_of and place_of. failed: memory ran out.
  virtual Status find_near(const EventInput&, double step) noexcept = 0;
  /// The rows of the points that were found last: their number changes with each search, and put_forces speaks of the
  /// motion that was evaluated last. The matrices A are those of marker_of.
  virtual UnilateralRows& rows() noexcept = 0;
  /// The two markers of the instance that the point is between; side: 0 or 1.
  virtual std::size_t marker_of(std::size_t point, std::size_t side) const noexcept = 0;
  /// Two numbers by which a point is the same one in the next search: of its two shapes, and its place among their
  /// points.
  virtual std::uint64_t pair_of(std::size_t point) const noexcept = 0;
  virtual std::uint64_t place_of(std::size_t point) const noexcept = 0;

 protected:
  ~NearRows() = default;
};

}  // namespace polyform
