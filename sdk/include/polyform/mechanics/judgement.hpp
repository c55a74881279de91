// What counts as dependent, as closed and as rounding: decisions that several places take, each by one number. Their
// reasons stand in sdk/NUMERICS.md.
#pragma once

#include <cmath>
#include <cstddef>

namespace polyform {

/// A row of constraints depends on others where the part of it that is independent of them is smaller than this, beside
/// the terms that the row is made of (lengths and forces with other directions). In all formulations and in `check`.
inline constexpr double least_independent = 1e-5;
/// The same of a compliance, which goes with the square of a row.
inline constexpr double least_independent_square = least_independent * least_independent;
/// The part up to which closing the loops leaves rows independent that depend on others: what is more is told.
inline constexpr double rounding_of_rows = 1e-9;

/// Positions are no better than this beside the distance of what they tie from the origin.
inline constexpr double position_rounding_part = 1e-14;
/// Velocities are no better than this beside the fastest that are tied.
inline constexpr double velocity_rounding_part = 1e-14;

/// Whether a step of Newton's method has come to rounding: below the tolerance it gains less than three quarters of the
/// residual, where it would square it.
inline constexpr bool has_come_to_rounding(double residual, double before, double tolerance) noexcept {
  return residual <= tolerance && residual > 0.25 * before;
}

/// How long Newton's method goes on closing positions: for so many steps at most, while the residual is finite and of
/// so many steps after each other one at least shrinks it to this part of the least before. A search that has another
/// way to try gives up sooner.
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
  /// After a step, with the residual that it leaves.
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
