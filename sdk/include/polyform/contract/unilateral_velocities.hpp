// Rows that hold at times about several velocities of a joint: a ball joint whose swing ends at a cone.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace polyform {

/// ForceBatch::query gives it next to UnilateralRows, of points whose rows are about more than one joint velocity.
/// Without it, or with a count of 1, a row is about UnilateralPoint::velocity alone.
class UnilateralVelocities {
 public:
  static constexpr std::string_view interface_name = "polyform.unilateral_velocities.1";
  /// How many velocities of one joint, one after the other, a point is about. The first one is
  /// UnilateralPoint::velocity, whose part in the rows is UnilateralOutput::B. At least 1; constant.
  virtual std::size_t velocity_count(std::size_t point) const noexcept = 0;
  /// The parts of the further velocities in the rows, at the state that evaluate_points was given last: the rate of a
  /// row is A V + B v + their sum, and a force along it has their efforts. Point after point three rows with
  /// velocity_count - 1 numbers each.
  virtual std::span<const double> further_parts() const noexcept = 0;

 protected:
  ~UnilateralVelocities() = default;
};

}  // namespace polyform
