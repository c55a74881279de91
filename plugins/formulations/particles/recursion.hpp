// The recursion of Sect. 2.4 for trees: sums of the linear and angular momenta of all bodies outboard of a joint, from
// the tips to the roots, and accelerations back.
//
// With the three distance constraints of a body (Eqs 2.20) the accelerations of its particles are
// r̈_i = r̈_1 + α × r_i1 + ω × (ω × r_i1), so that the right-hand sides of Eqs 2.15 and 2.16 become S z + e with z =
// (α, r̈_1) for the body, and for all that it carries once the motion of each joint outboard is eliminated by its own
// condition: a spherical joint bears no moment (Eq 2.18 = 0), the moment of a revolute joint has no component along the
// axis of its two particles (Step 3), the force and moment of any other joint do no work on its motions (Step 4).
//
// If loops are cut, the forces of the cut joints stand in these sums as unknowns until the constraints of the cut
// joints substitute for them (Sect. 2.4.2), at the body where the two chains of a loop meet (loop_closure.hpp).
#pragma once

#include <span>
#include <vector>

#include "links.hpp"
#include "lost_digits.hpp"
#include "moving_bodies.hpp"
#include "polyform/mechanics/ball_transfer.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "shape_errors.hpp"

namespace polyform::particles {

/// The sweeps: one object per thread, nothing allocates after construction.
class Recursion {
 public:
  /// loops: those of the system, evaluated by the caller at the positions and velocities. All three outlive the object.
  Recursion(const SystemView&, const Layout&, LoopClosure& loops);
  const Links& links() const { return links_; }

  /// r̈ of all moving particles. loads: on the bodies, about particle 1, or empty. False when a joint moves a body
  /// without inertia: failed_joint() tells which. Now and then what is left of the momenta is looked at, and where
  /// digits have been lost they are won back.
  bool accelerations(const PlacedBodies&, std::span<const Spatial> loads, std::span<Vec3> out) noexcept;
  /// The least changes of positions or velocities, in the mass metric, that undo these errors and those of the loops to
  /// first order: the same recursion with errors in the place of velocity terms.
  bool corrections(const PlacedBodies&, const ShapeErrors&, std::span<Vec3> out) noexcept;
  /// The next accelerations are looked at, as after a state that has nothing to do with the ones before.
  void look() { lost_digits_.look(); }
  std::size_t failed_joint() const { return failed_; }

 private:
  friend class LostDigits;

  void set_inertia(std::size_t i, const PlacedBodies&) noexcept;
  void set_directions(std::size_t i, const PlacedBodies&) noexcept;
  void set_velocity_terms(std::size_t i, const PlacedBodies&, std::span<const Spatial> loads) noexcept;
  void set_shape_terms(std::size_t i, const PlacedBodies&, const ShapeErrors&) noexcept;
  void begin_loops(LoopClosure::Level, const PlacedBodies&, const Vec3& ground) noexcept;
  Spatial general_bias(std::size_t i, const PlacedBodies&) const noexcept;
  template <bool mending>
  bool pass_joint(std::size_t i, Transfer<double>&) noexcept;
  void pass_postponed(std::size_t i, std::size_t k, double missing, Transfer<double>&) noexcept;
  static bool is_rounding(std::span<const Column<double>> directions, const PivotScale<double>&) noexcept;
  Transfer<double> about_parent(std::size_t i, const Transfer<double>&) const noexcept;
  template <bool mending>
  bool sum_momenta() noexcept;
  Spatial follow_joint(std::size_t i, const Spatial& at_ground) noexcept;
  Spatial follow_joint_in_loop(std::size_t i, Spatial z) noexcept;
  void tell_particles(std::size_t i, const PlacedBodies&, const Spatial& z, std::span<Vec3> out) const noexcept;

  const SystemView& view_;
  const Layout& layout_;
  LoopClosure& loops_;
  Links links_;
  std::vector<Column<double>> directions_;  ///< the motions of joints other than spherical ones
  std::vector<Ball<double>> balls_;         ///< per body
  /// Rates of angular and linear momentum per body, about its particle 1: S z + e, the acceleration in z less gravity.
  /// With those of the children that do not follow it at once.
  std::vector<Transfer<double>> momenta_;
  std::vector<Vec3> arms_;       ///< from the parent's particle 1 to the body's own
  std::vector<Spatial> biases_;  ///< z of the body when that of its parent and all v̇ are zero
  std::vector<Spatial> z_;
  std::vector<Vec3> to_first_;  ///< from the frame origin to particle 1, of bodies that cut joints connect
  std::size_t failed_ = 0;
  LostDigits lost_digits_;
};

}  // namespace polyform::particles
