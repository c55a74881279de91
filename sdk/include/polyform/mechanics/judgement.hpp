// What counts as dependent, as closed and as rounding: decisions that several places take, each by one number. Their
// reasons stand in sdk/NUMERICS.md.
#pragma once

#include <cstddef>

namespace polyform {

/// A row of constraints depends on others where the part of it that is independent of them is smaller than this, beside
/// the terms that the row is made of (lengths and forces with other directions). In all formulations and in `check`.
inline constexpr double least_independent = 1e-5;
/// The same of a compliance, which goes with the square of a row.
inline constexpr double least_independent_square = least_independent * least_independent;
/// The part up to which closing the loops leaves rows independent that depend on others: what is more is told.
inline constexpr double rounding_of_rows = 1e-9;

/// Newton's method on the positions of loops makes no more steps than this, wherever it begins ...
inline constexpr std::size_t most_closing_steps = 200;
/// ... and gives up where this many steps after each other do not shrink the residual by a hundredth.
inline constexpr std::size_t most_idle_steps = 20;
/// Positions are no better than this beside the distance of what they tie from the origin.
inline constexpr double position_rounding_part = 1e-14;

/// Whether a step of Newton's method has come to rounding: below the tolerance it gains less than a quarter, where it
/// would square the residual.
inline constexpr bool has_come_to_rounding(double residual, double before, double tolerance) noexcept {
  return residual <= tolerance && residual > 0.25 * before;
}

/// Counts the steps of a closing that gain nothing.
class IdleSteps {
 public:
  explicit IdleSteps(double residual) noexcept : best_(residual) {}
  /// After a step: whether to go on.
  bool goes_on(double residual) noexcept {
    idle_ = residual < 0.99 * best_ ? 0 : idle_ + 1;
    if (residual < best_) best_ = residual;
    return idle_ < most_idle_steps;
  }

 private:
  double best_;
  std::size_t idle_ = 0;
};

}  // namespace polyform
