// Brings the sweep and the loops to a state.
#pragma once

#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/rows_left_out.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

/// The result of JointPlacement::place: its owner may rely on the kinematics of its state. Valid until the next
/// placing.
struct PlacedState {
  std::span<const BodyMotion> motions;  ///< of all frames; empty for a tree if nobody asked for them
  std::span<const double> q, v;         ///< of all joints, canonical order
};

/// Brings a sweep, and the constraints of the loops, to the state of a y. The corrected end of a step is the start of
/// the next one, and is placed already.
class JointPlacement {
 public:
  /// The arguments outlive the object.
  JointPlacement(const SystemView&, const JointState&, TreeSweep&, LoopClosure&, RowsLeftOut&);

  /// with_motions: for a tree; with loops they are always found.
  PlacedState place(double t, const JointState::Parts& y, bool with_motions = true) noexcept {
    if (!loops_.empty()) return place_with_loops(t, y);
    sweep_.kinematics(y.q.data(), y.v.data(), y.eta.data(), y.etadot.data());
    return {with_motions ? sweep_.motions(y.v.data()) : std::span<const BodyMotion>(), y.q, y.v};
  }
  /// With loops: the state that was placed last.
  PlacedState standing() const { return {motions_, q_, v_}; }
  /// Makes the rows that the loops leave out those of the state.
  void keep_left_out() noexcept;
  /// To be called when the sweep is used for another state.
  void forget() noexcept { stands_ = false; }

 private:
  PlacedState place_with_loops(double t, const JointState::Parts& y) noexcept;
  void evaluate_loops(double t, std::span<const double> x) noexcept;

  const JointState& state_;
  TreeSweep& sweep_;
  LoopClosure& loops_;
  RowsLeftOut& left_out_;       ///< of the state
  std::vector<double> q_, v_;   ///< of all joints; in use with loops
  std::vector<double> x_;       ///< first-order states of the modules as placed; in use with modules
  std::vector<double> placed_;  ///< q, v, η, η̇ and the cut joints' coordinates as placed
  std::span<const BodyMotion> motions_;
  bool has_discrete_;  ///< rows of elements may change with the discrete states
  double t_ = 0;       ///< of the constraints as placed
  bool stands_ = false;
};

}  // namespace polyform
