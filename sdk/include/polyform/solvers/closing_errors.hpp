// How far a state is from the constraints that close a tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "polyform/mechanics/body_motion.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform {

/// The largest errors of all rows at one state, and the sizes by which they are judged.
class ClosingErrors {
 public:
  double position() const { return position_; }     ///< largest residual, rad or m
  double velocity() const { return velocity_; }     ///< largest rate, rad/s or m/s
  double of_elements() const { return elements_; }  ///< largest rate of the rows of elements alone
  double size() const { return size_; }    ///< largest distance of a constrained frame from the origin, m, or 1
  double speed() const { return speed_; }  ///< largest of the constrained frames, rad/s or m/s, or 1
  /// About the part of the errors that is rounding.
  double position_rounding() const { return position_rounding_part * size_; }
  double velocity_rounding() const { return velocity_rounding_part * speed_; }
  /// Whether the loops are closed so well that dependent rows show: their pivots are the square of the residual.
  bool shows_dependence() const { return position_ < 1e-8 * size_; }
  /// The group with the largest residual.
  std::size_t worst() const { return worst_; }

  /// Begins a state without errors. The group of the worst residual stays until a residual is noted.
  void begin() noexcept {
    position_ = velocity_ = elements_ = 0;
    size_ = speed_ = 1;
  }
  void note_frame(const BodyMotion& m) noexcept {
    size_ = std::max(size_, norm(m.p));
    speed_ = std::max({speed_, norm(m.V.linear), norm(m.V.angular)});
  }
  void note_residual(double residual, std::size_t group) noexcept {
    if (std::abs(residual) <= position_) return;  // NaN counts as the worst
    position_ = std::abs(residual);
    worst_ = group;
  }
  void note_rate(double rate) noexcept { velocity_ = std::max(velocity_, std::abs(rate)); }
  void note_rate_of_element(double rate) noexcept {
    elements_ = std::max(elements_, rate);
    velocity_ = std::max(velocity_, elements_);
  }

 private:
  double position_ = 0, velocity_ = 0, elements_ = 0;
  double size_ = 1, speed_ = 1;
  std::size_t worst_ = 0;
};

}  // namespace polyform
