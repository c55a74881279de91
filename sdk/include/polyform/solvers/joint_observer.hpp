// The observation of a solver in joint coordinates, from the accelerations of its sweep.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/centred_view.hpp"
#include "polyform/solvers/joint_loads.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/solvers/loop_accelerations.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

class JointObserver {
 public:
  /// The arguments outlive the object.
  JointObserver(const CentredView&, const LoopClosure&, const FlexibleSet&, const JointLoads&, const TreeSweep&);

  /// Where to write the accelerations that observe() puts out.
  JointRates rates() { return {vdot_.data(), etaddot_.data(), xdot_}; }
  /// Observes a state at which the sweep was solved, keeping reactions. motions: of all frames there. If the result
  /// contradicts the constraints, only accelerations of joints and modes are written.
  LoopContradiction observe(const ConstStateView& state, std::span<const BodyMotion> motions,
                            Observation& out) noexcept;
  static bool is_contradiction(const LoopContradiction&, const ClosingConstraints&) noexcept;
  /// The power of applied forces and of modes that have no potential, W, as of the last evaluation. It does not contain
  /// that of the drives of joints that depend on time.
  double power() const noexcept;
  const RheonomicJoints& rheonomic() const { return rheonomic_; }

 private:
  const CentredView& centred_;
  const LoopClosure& loops_;
  const FlexibleSet& flexible_;
  const JointLoads& loads_;
  const TreeSweep& sweep_;
  LoopAccelerations loop_accelerations_;
  RheonomicJoints rheonomic_;
  TreeKinematics tree_;
  std::vector<double> vdot_, etaddot_, xdot_;
  std::vector<Spatial> accelerations_;
  std::vector<Quat> orientations_;
};

}  // namespace polyform
