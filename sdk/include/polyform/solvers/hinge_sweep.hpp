// Algorithms A and B of Rui et al. 2020 on any tree: the inward sweep of S and e, and the outward sweep of
// accelerations.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "polyform/mechanics/ball_transfer.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/tree_motion.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

/// It works at the state of the motion. Nothing allocates after construction; ground axes.
class HingeSweep {
 public:
  /// The arguments outlive the object.
  HingeSweep(const SystemView&, const HingedTree&, TreeMotion&, LoopClosure&);

  /// Adds a wrench on a frame about its origin, for the next solve() with Drive::loaded. TreeMotion::frames must be
  /// placed.
  void load(FrameIndex, const Spatial& wrench) noexcept;
  /// The load on a rigid body, about P.
  const Spatial& load_on(std::size_t body) const { return load_[body]; }

  /// The loads and accelerations that move the tree.
  struct Drive {
    LoopClosure::Level level = LoopClosure::Level::acceleration;
    Vec3 ground;                      ///< acceleration given to ground: minus gravity, or zero
    bool loaded = false;              ///< the loads count
    const double* efforts = nullptr;  ///< per v, or none
    bool keep = false;                ///< S and e of every body stay, for wrench()
  };
  /// Makes both sweeps: they give the rates of the tree joints' velocity coordinates and of the modes. Call
  /// FlexibleLinks::begin before. False if a hinge or a mode has no inertia to move: failure() tells which.
  bool solve(const Drive& drive, double* rates, double* modal_rates) noexcept {
    ground_ = drive.ground;
    if (!loops_.empty()) begin_loops(drive);
    if (!inward(drive)) return false;
    outward(rates, modal_rates);
    const std::optional<std::size_t> without_inertia = loops_.postponed().without_inertia();
    if (!without_inertia) return true;
    failure_ = {*without_inertia, false, nullptr};
    return false;
  }
  const SweepFailure& failure() const { return failure_; }

  /// z_b of Rui et al. 2020, after solve(): accelerations at the bodies' P less those of ground; for further frames of
  /// flexible bodies at their origins.
  std::span<Spatial> z() { return z_; }
  std::span<const Spatial> z() const { return z_; }
  /// z_a, after solve() with Drive::keep: the wrench of a hinge on its outboard body, at P.
  Spatial wrench(std::size_t body) const noexcept;
  /// The arms from the origins of the rigid bodies that cut joints tie to P; after solve() of a system with loops.
  std::span<const Vec3> arms() const { return arms_; }

 private:
  void begin_loops(const Drive&) noexcept;
  bool inward(const Drive&) noexcept;
  bool gather_flexible(std::size_t i, Transfer<double>& s) noexcept;
  bool pass(std::size_t i, Transfer<double>& s, const double* efforts) noexcept;
  template <HingedTree::Hinge kind>
  bool pass_hinge(std::size_t i, Transfer<double>& s, const double* efforts) noexcept;
  void pass_postponed(std::size_t i, Transfer<double>& s, const double* efforts) noexcept;
  void pass_loops(std::size_t i) noexcept;
  template <HingedTree::Hinge kind>
  void shift_to_parent(std::size_t i, Transfer<double>& s) const noexcept;
  void outward(double* rates, double* modal_rates) noexcept;
  template <HingedTree::Hinge kind>
  void hinge_rates(std::size_t i, double* rates) noexcept;
  void find_modal_rates(std::size_t i, double* modal_rates) noexcept;

  const HingedTree& tree_;
  TreeMotion& motion_;
  LoopClosure& loops_;
  FlexibleLinks& flexible_;
  Vec3 ground_;             ///< of the Drive at work
  std::vector<Spatial> z_;  ///< of the links, then of the frames of flexible bodies
  std::vector<Ball<double>> balls_;
  std::vector<Transfer<double>> slots_;  ///< sums of the S and e of all children but the first
  std::vector<Spatial> load_;
  std::vector<Transfer<double>> kept_;
  std::vector<Vec3> arms_;
  std::vector<double> taken_;  ///< what loops take from the rates of the modes
  SweepFailure failure_;
};

}  // namespace polyform
