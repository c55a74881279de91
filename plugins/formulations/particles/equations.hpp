// The equations of motion in the coordinates of the particles, in either of two ways.
//
//   [M  Cᵀ] [r̈ ]   [f]     r: positions of the moving particles; particle 3 of each body is eliminated (Eq 2.14)
//   [C  0 ] [−λ] = [γ]     C: distances (Eqs 2.4a–c), dependent particles (Eq 2.10), cut joints, and joints that
//                          share too few particles
//
// RecursiveEquations take trees, and loops that are cut, by the recursion of the paper. SparseEquations take one sparse
// symmetric system; they serve if there are constraint elements, or if cutting the loops leaves bodies without inertia
// in the tree. M is the mass of the ten particles of each body, expressed for its particles 1, 2 and 4, so that Mr̈ are
// the terms of Eqs 2.15 and 2.16.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "applied_loads.hpp"
#include "moving_bodies.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/helpers/failure.hpp"

namespace polyform::particles {

/// Changes the velocities of the particles with the bodies as a correction moves the bodies: if it restores the radii
/// of a spinning body, the body keeps its rate of turning, not the speeds of its particles.
class CarriedVelocities {
 public:
  /// The view and the layout outlive the object.
  CarriedVelocities(const SystemView&, const Layout&);
  /// Takes the state before the correction.
  void start(const PlacedBodies&) noexcept;
  void carry(ParticleMotion&) noexcept;

 private:
  const SystemView& view_;
  const Layout& layout_;
  std::vector<Vec3> positions_, angular_velocities_;  ///< before the correction
  std::vector<Vec3> changes_;                         ///< of the velocities
};

/// One object per thread; nothing allocates after construction. Functions that can fail return false and leave a
/// sentence in failure(). Nobody moves the particles while placed bodies are in use.
///
/// It has many functions because the two ways to solve share this one interface: accelerations, corrections, and what
/// an observation reads of either (reactions, violations, powers, rows that are left out).
class Equations {
 public:
  virtual ~Equations() = default;
  Equations(const Equations&) = delete;
  Equations& operator=(const Equations&) = delete;

  virtual bool good() const { return true; }  ///< whether all constraint elements could be made
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  virtual void follow(std::span<const std::int32_t>) noexcept {}

  /// Evaluates bodies, masses and constraints at these positions and velocities. all_joints: all joints are wanted, not
  /// only those that the equations need. corrected: the state is what project() has just left; its factors still serve.
  virtual const PlacedBodies& evaluate(double t, const ParticleMotion&, const JointValues&, bool all_joints,
                                       bool corrected) noexcept = 0;
  /// The residuals of all constraints at the state just evaluated, with all joints.
  virtual Violations violations() const noexcept = 0;
  /// r̈ of the moving particles at the state just evaluated.
  virtual bool find_accelerations(const PlacedBodies&, const Applied&, std::span<Vec3> out) noexcept = 0;
  /// Whether the masses determine all accelerations at the state just evaluated, with all joints. Finds which rows of
  /// loops depend on others.
  virtual bool check_regular(const PlacedBodies&) noexcept = 0;

  /// Moves the particles onto all constraints by Newton's method, until no residual is above the tolerance (m, rad),
  /// and gives them the nearest velocities that respect the constraints, both in the mass metric of the particles.
  bool project(double t, ParticleMotion&, const JointValues&, double tolerance, Correction&) noexcept;
  /// Finds the violations from which project() would start.
  virtual void find_violations(double t, const ParticleMotion&, const JointValues&, Correction&) noexcept = 0;

  // After find_accelerations():
  /// Whether the loops are so near a singular position that their open part spoils the accelerations.
  virtual bool is_beside_singular_position() const noexcept { return false; }
  /// d/dt of the velocity coordinates of all joints, from the accelerations of the frame origins. False when rows that
  /// depend on others contradict them.
  virtual bool joint_accelerations(const PlacedBodies&, std::span<const Spatial> of_bodies,
                                   std::span<double> vdot) noexcept = 0;
  /// Subtracts from `needed` the wrenches of constraint elements on the bodies, about the frame origins, and adds their
  /// loads on joints to `efforts`.
  virtual void take_elements(std::span<Spatial> needed, std::span<double> efforts) const noexcept = 0;
  /// λ + effort of the rows of the constraint elements, element after element.
  virtual void element_multipliers(std::span<double> out) const noexcept { (void)out; }
  /// Finds the wrench of each cut joint on its moving body at the origin of M, ground axes; out: of all joints.
  virtual void cut_reactions(const PlacedBodies&, std::span<const double> efforts,
                             std::span<Spatial> out) const noexcept = 0;
  /// The modules of the system, as last evaluated; none if no module can be.
  virtual const ModuleSet* modules() const noexcept { return nullptr; }
  /// Writes the rates of the modules' variables and further states to their places, and the multipliers of all their
  /// rows.
  virtual void module_rates(std::span<double>) const noexcept {}
  virtual void module_multipliers(std::span<double>) const noexcept {}
  /// The power of constraint elements that ask for a velocity: (λ + effort) · right-hand side, W.
  virtual double driving_power() const noexcept = 0;

  /// The rows of the i-th cut joint that are left out because they depend on others, a bit each. They are found when
  /// the loops are closed, and kept for the states in between.
  virtual unsigned left_out(std::size_t) const noexcept { return 0; }
  virtual void leave_out(std::size_t, unsigned) noexcept {}
  /// is_recursive(): whether accelerations come from the recursion. needs_closed_states(): whether they are correct
  /// only if the loops are closed.
  virtual bool is_recursive() const noexcept = 0;
  virtual bool needs_closed_states() const noexcept = 0;

  const MovingBodies& bodies() const { return bodies_; }
  std::string_view failure() const noexcept { return failure_.text(); }

 protected:
  Equations(const SystemView&, const Layout&, std::span<const BodyIndex> loaded, MovingBodies::Joints,
            bool always_motions);
  /// Moves the particles onto the constraints. target: at rounding, below the tolerance.
  virtual bool correct_positions(double t, ParticleMotion&, const JointValues&, double tolerance, double target,
                                 Correction&) noexcept = 0;
  /// Changes velocities that have been carried along into those of the bodies.
  virtual void place_carried(const ParticleMotion&, const JointValues&) noexcept {}
  virtual bool correct_velocities(double t, ParticleMotion&, const JointValues&, Correction&) noexcept = 0;

  const SystemView& view_;
  const Layout& layout_;
  MovingBodies bodies_;
  CarriedVelocities carried_;
  Failure failure_;
};

/// d/dt of the velocity coordinates of all joints from the accelerations of the frame origins; constraint_of(joint): as
/// evaluated.
template <class ConstraintOf>
void accelerate_joints(const SystemView& view, const PlacedBodies& placed, std::span<const Spatial> of_bodies,
                       const ConstraintOf& constraint_of, std::span<double> vdot) noexcept {
  const auto of = [&](BodyIndex b) { return is_ground(b) ? Spatial{} : of_bodies[at(b)]; };
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    const JointMotion& m = constraint_of(j).motion;
    const Spatial A = relative_acceleration(joint, motion_of(joint.base, placed.motions), of(joint.base),
                                            motion_of(joint.moving, placed.motions), of(joint.moving));
    solve_least_squares(m.H, joint.nv, A - m.bias, vdot.data() + joint.v_offset);
  }
}

}  // namespace polyform::particles
