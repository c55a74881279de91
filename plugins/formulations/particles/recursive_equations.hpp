// The equations of motion by the recursion: trees, and loops that are cut.
#pragma once

#include <span>
#include <vector>

#include "equations.hpp"
#include "polyform/solvers/loop_accelerations.hpp"
#include "recursion.hpp"

namespace polyform::particles {

/// The recursion of the paper; cut joints are eliminated at the bodies where their paths meet. Most functions are those
/// of Equations.
class RecursiveEquations : public Equations {
 public:
  /// loaded: the bodies on which wrenches act. All three arguments outlive the object.
  RecursiveEquations(const SystemView&, const Layout&, std::span<const BodyIndex> loaded);
  /// Whether every joint of the tree moves some inertia, next to nothing included, with the loops cut and the bodies as
  /// drawn.
  bool is_regular_as_drawn();

  const PlacedBodies& evaluate(double t, const ParticleMotion&, const JointValues&, bool all_joints,
                               bool corrected) noexcept override;
  Violations violations() const noexcept override { return violations_; }
  bool find_accelerations(const PlacedBodies&, const Applied&, std::span<Vec3> out) noexcept override;
  bool check_regular(const PlacedBodies&) noexcept override;
  void find_violations(double t, const ParticleMotion&, const JointValues&, Correction&) noexcept override;
  bool is_beside_singular_position() const noexcept override;
  bool joint_accelerations(const PlacedBodies&, std::span<const Spatial> of_bodies,
                           std::span<double> vdot) noexcept override;
  void take_elements(std::span<Spatial>, std::span<double>) const noexcept override {}
  void cut_reactions(const PlacedBodies&, std::span<const double> efforts,
                     std::span<Spatial> out) const noexcept override;
  double driving_power() const noexcept override { return 0; }
  unsigned left_out(std::size_t i) const noexcept override { return loops_.rows().left_out(i); }
  void leave_out(std::size_t i, unsigned rows) noexcept override { loops_.rows().leave_out(i, rows); }
  bool is_recursive() const noexcept override { return true; }
  bool needs_closed_states() const noexcept override { return false; }

 protected:
  /// Finds the loads on the bodies, about their particle 1.
  void find_loads(const PlacedBodies&, const Applied&) noexcept;
  std::span<const Spatial> loads() const {
    return bodies_.finds_motions() ? std::span<const Spatial>(loads_) : std::span<const Spatial>();
  }
  const Links& links() const { return recursion_.links(); }
  const LoopClosure& loops() const { return loops_; }
  const JointConstraint& constraint_of(const PlacedBodies& placed, std::size_t joint) const noexcept {
    return joint < view_.bodies.size() ? placed.joints[joint] : loops_.constraints().joint(joint - view_.bodies.size());
  }
  /// Constraint force of the i-th cut joint on its moving body at the origin of M, ground axes.
  virtual Spatial cut_force(std::size_t i, const BodyMotion& base) const noexcept { return loops_.reaction(i, base); }
  bool fail_not_finite(std::span<const Vec3> accelerations) noexcept;

 private:
  bool correct_positions(double t, ParticleMotion&, const JointValues&, double tolerance, double target,
                         Correction&) noexcept override;
  void place_carried(const ParticleMotion&, const JointValues&) noexcept override;
  bool correct_velocities(double t, ParticleMotion&, const JointValues&, Correction&) noexcept override;

  bool all_joints_resist() noexcept;
  const PlacedBodies& place(const ParticleMotion&, const JointValues&, bool all_joints) noexcept;
  double find_errors(const PlacedBodies&, bool of_velocities) noexcept;
  bool add_correction(const PlacedBodies&, std::vector<Vec3>& to) noexcept;
  bool fail_recursion(const PlacedBodies&) noexcept;

  FlexibleLinks flexible_;  ///< empty; the loops need one
  LoopClosure loops_;
  LoopAccelerations loop_accelerations_;
  Recursion recursion_;
  ShapeErrors errors_;
  bool has_singular_bodies_ = false;
  Violations violations_;
  std::vector<Spatial> loads_;  ///< on the bodies, about their particle 1
  std::vector<Vec3> changes_;   ///< of the particles, by a correction
};

}  // namespace polyform::particles
