// The Riccati recursion on any tree, with closed loops and flexible bodies: kinematics outward, S and e inward,
// accelerations outward (hinge_sweep.hpp has the equations).
#pragma once

#include <span>

#include "polyform/contract/system_view.hpp"
#include "polyform/solvers/hinge_sweep.hpp"
#include "polyform/solvers/hinged_tree.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/sweep_refinement.hpp"
#include "polyform/solvers/tree_motion.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

/// Now and then the residual of the accelerations is checked, and digits that have been lost are won back (rigid
/// bodies; sweep_refinement.hpp).
class Recursion final : public TreeSweep {
 public:
  /// loops: the closed loops of the system. The loops and the view outlive this object.
  Recursion(const SystemView&, LoopClosure& loops);
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;

  void position_rates(const double* q, const double* v, double* qdot) const noexcept override {
    motion_.position_rates(q, v, qdot);
  }
  void kinematics(const double* q, const double* v, const double* eta, const double* etadot) noexcept override {
    motion_.evaluate(q, v, eta, etadot);
  }
  /// The same as kinematics() with v = 0, and with joints by the clock at rest, too.
  void kinematics_at_rest(const double* q, const double* still, const double* eta) noexcept {
    motion_.evaluate_at_rest(q, still, eta);
  }
  std::span<const BodyMotion> motions(const double* v) noexcept override { return motion_.frames(v); }
  bool accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                     std::span<const double> efforts, double* vdot, double* etaddot, bool keep) noexcept override;
  SweepFailure failure() const noexcept override { return sweep_.failure(); }
  Recursion* recursion() noexcept override { return this; }
  void tolerate(ErrorFilter* filter) noexcept override { refinement_.tolerate(filter); }
  void start_anew() noexcept override { refinement_.look(); }
  void body_accelerations(std::span<Spatial> out) const noexcept override;
  void reactions(std::span<Spatial> out) const noexcept override;

  const HingedTree& tree() const noexcept { return tree_; }

  /// After kinematics_at_rest(), motions() with v = 0 and LoopClosure::evaluate: finds the step in the coordinates, or
  /// change of the velocities, that closes the loops and is the least in the inertia metric (per velocity coordinate,
  /// and in the modes). False for the reasons of accelerations().
  bool closing_step(LoopClosure::Level, double* step, double* modal_step) noexcept;

  /// After kinematics(): the motion subspace of the hinge that carries a body, ground axes, at its hinge point; empty
  /// for a ball that no loop passes, which has none. Outboard body relative to inboard one.
  std::span<const Column<double>> hinge_columns(std::size_t body) const noexcept {
    const HingedTree::Link& link = tree_.links[body];
    return link.hinge == HingedTree::Hinge::ball ? std::span<const Column<double>>() : motion_.hinge(link);
  }
  /// The hinge point in ground; motions: of the frames as motions() gave them.
  Vec3 hinge_point(std::size_t body, std::span<const BodyMotion> motions) const noexcept {
    const HingedTree::Frame& frame = tree_.frames[body];
    const BodyMotion& m = motions[frame.carried];
    return m.p + m.R * frame.to_P;
  }

 private:
  void find_frames(const Vec3& base, std::span<Spatial> out) const noexcept;

  const HingedTree tree_;
  FlexibleLinks& flexible_;
  TreeMotion motion_;
  HingeSweep sweep_;
  SweepRefinement refinement_;
  HingeSweep::Drive drive_;  ///< of accelerations
  Vec3 gravity_;
  std::vector<Spatial> of_frames_;  ///< their accelerations, or steps; in use with modules
  LoopClosure& loops_;
};

}  // namespace polyform
