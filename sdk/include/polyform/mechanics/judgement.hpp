// What counts as dependent, as closed and as rounding: decisions that several places take, each by one number. Their
// reasons stand in sdk/NUMERICS.md.
#pragma once

#include <cmath>
#include <cstddef>

namespace polyform {

/// A row of constraints depends on others if its part that is independent of them is smaller than this, relative to the
/// terms of the row (lengths and forces with other directions). This holds in all formulations and in `check`.
inline constexpr double least_independent = 1e-5;
/// The same bound for a compliance, which is proportional to the square of a row.
inline constexpr double least_independent_square = least_independent * least_independent;
/// When the loops have been closed, the independent part of a dependent row is at most this; a larger part is reported.
inline constexpr double rounding_of_rows = 1e-9;

/// Errors of positions are at least this part of the distance from the origin.
inline constexpr double position_rounding_part = 1e-14;
/// Errors of velocities are at least this part of the fastest velocity in the constraints.
inline constexpr double velocity_rounding_part = 1e-14;

/// Whether a step of Newton's method has come to rounding: below the tolerance, it takes away less than three quarters
/// of the residual, although Newton's method would square the residual.
inline constexpr bool has_come_to_rounding(double residual, double before, double tolerance) noexcept {
  return residual <= tolerance && residual > 0.25 * before;
}

/// How long Newton's method goes on closing positions: for a limited number of steps, while the residual is finite and
/// at least one of so many steps in a row shrinks it to a given part of the least before. A search that has another way
/// to try gives up sooner.
class ClosingSteps {
 public:
  struct Limits {
    std::size_t steps, idle;
    double gain;
  };
  static constexpr Limits usual{200, 20, 0.99};

  explicit ClosingSteps(double residual, const Limits& limits = usual) noexcept
      : limits_(limits), best_(residual), is_finite_(std::isfinite(residual)) {}
  bool go_on() const noexcept { return is_finite_ && made_ < limits_.steps && idle_ < limits_.idle; }
  /// To be called after a step, with the residual that the step leaves.
  void made(double residual) noexcept {
    ++made_;
    idle_ = residual < limits_.gain * best_ ? 0 : idle_ + 1;
    is_finite_ = std::isfinite(residual);
    if (residual < best_) best_ = residual;
  }

 private:
  Limits limits_;
  double best_;
  bool is_finite_;
  std::size_t made_ = 0, idle_ = 0;
};

}  // namespace polyform
