// Brings a state back onto the closed loops: Newton's method in the metric of the inertia.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/solvers/joint_failure.hpp"
#include "polyform/solvers/joint_placement.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/solvers/loop_correction.hpp"
#include "polyform/solvers/recursion.hpp"

namespace polyform {

/// Corrects positions, then velocities, each step being the least in the metric of the inertia, by the recursion at
/// rest. All functions that can fail leave a sentence in failure().
class LoopProjection {
 public:
  /// The arguments outlive the object.
  LoopProjection(const SystemView&, const LoopCorrection&, const JointState&, Recursion&, LoopClosure&, JointPlacement&,
                 JointFailure&);

  const LoopCorrection& correction() const { return correction_; }
  /// Whether steps are corrected.
  bool is_on() const { return correction_.on; }
  /// The residual that counts as closed: it is never below rounding.
  double accepted_position() const {
    return std::max(correction_.tolerance, loops_.constraints().errors().position_rounding());
  }
  double accepted_velocity() const {
    return std::max(correction_.tolerance, loops_.constraints().errors().velocity_rounding());
  }

  /// Closes the loops down to round-off: next to a singular position a residual moves the mechanism by many times its
  /// own size. False if that is not possible.
  bool close(double t, std::span<double> y, Correction& out) noexcept;
  /// Finds at a consistent y which rows depend on others, and keeps that with the state.
  bool find_dependent_rows(double t, std::span<const double> y) noexcept;
  /// Begins a correction at the placed state: notes how fast the system is, and by how much elements ask for other
  /// velocities.
  void begin() noexcept;
  /// The end of a correction that has changed velocities by `change`: y takes the turns of the cut joints as placed.
  /// False if the change is abrupt: neither small compared with the speed, nor caused by an element that has come to
  /// ask for it (a prescribed motion whose velocity jumps).
  bool accept(std::span<double> y, double change) noexcept;
  bool cannot_close(std::size_t steps) noexcept;

  const JointState& state() const { return state_; }
  Recursion& recursion() { return recursion_; }
  LoopClosure& loops() { return loops_; }
  JointPlacement& placement() { return placement_; }

 private:
  bool find_lightest_step(std::span<const double> y, LoopClosure::Level) noexcept;

  const SystemView& view_;
  LoopCorrection correction_;
  const JointState& state_;
  Recursion& recursion_;
  LoopClosure& loops_;
  JointPlacement& placement_;
  JointFailure& failure_;
  double speed_ = 1, jump_ = 0;  ///< at begin(): the largest velocity; the largest that an element misses
  std::vector<double> rest_;     ///< velocities that are zero
  std::vector<double> step_;     ///< per velocity coordinate of the tree joints, then per mode
};

/// The largest absolute value.
inline double largest_of(std::span<const double> x) noexcept {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace polyform
