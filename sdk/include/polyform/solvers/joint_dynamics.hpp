// A system in joint coordinates at a state: its kinematics, its loads and its accelerations.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/lost_digits.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/solvers/centred_view.hpp"
#include "polyform/solvers/flexible_links.hpp"
#include "polyform/solvers/joint_failure.hpp"
#include "polyform/solvers/joint_loads.hpp"
#include "polyform/solvers/joint_placement.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/rows_left_out.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

/// The parts that one state goes through. After place() sweep and loops stand at a state, after solve() the loads, the
/// multipliers and the accelerations are those of this state. Nothing allocates after construction.
class JointDynamics {
 public:
  using MakeSweep = std::function<std::unique_ptr<TreeSweep>(const SystemView&, LoopClosure&)>;

  /// Makes the sweep for the view in which the object works. The view outlives the object.
  JointDynamics(const SystemView&, const MakeSweep&);
  JointDynamics(const JointDynamics&) = delete;

  bool good() const { return loads_.good() && flexible_.good() && loops_.constraints().good(); }
  /// The system in the coordinates of the object, whose origin lies near the bodies.
  const CentredView& centred() const { return centred_; }
  const SystemView& view() const { return view_; }
  const JointState& state() const { return state_; }
  DiscreteValues& discrete() { return discrete_; }
  RowsLeftOut& left_out() { return left_out_; }
  const FlexibleLinks& flexible() const { return flexible_; }
  LoopClosure& loops() { return loops_; }
  const LoopClosure& loops() const { return loops_; }
  TreeSweep& sweep() { return *sweep_; }
  JointPlacement& placement() { return placement_; }
  JointLoads& loads() { return loads_; }
  JointFailure& failure() { return failure_; }
  const JointFailure& failure() const { return failure_; }
  /// The error of the accelerations of the last solve() that could not be mended.
  LostDigits& lost() { return lost_; }

  /// The state at y: of a tree its coordinates alone; a system with loops is placed for those of its cut joints.
  PlacedState place(double t, std::span<const double> y) noexcept;
  /// The same with the motions of all frames.
  PlacedState place_frames(double t, std::span<const double> y) noexcept {
    return placement_.place(t, state_.split(y), true);
  }
  /// Finds the rates at y and writes them to `out`. observing: keeps what reactions take. here: the placed state.
  /// failed: failure() says why.
  Status solve(double t, std::span<const double> y, const JointRates& out, bool observing, PlacedState& here) noexcept;
  /// ẏ at y.
  Status find_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept;
  /// The rates of the coordinates of joints and cut joints, and of the modes, at a placed state.
  void find_position_rates(std::span<const double> y, const PlacedState&, std::span<double> ydot) noexcept;

 private:
  CentredView centred_;
  const SystemView& view_;  ///< the centred one
  JointState state_;
  DiscreteValues discrete_;
  RowsLeftOut left_out_;  ///< per loop
  FlexibleLinks flexible_;
  LoopClosure loops_;
  std::unique_ptr<TreeSweep> sweep_;
  JointPlacement placement_;
  JointLoads loads_;
  JointFailure failure_;
  LostDigits lost_;
};

}  // namespace polyform
