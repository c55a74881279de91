// The recursion of Sect. 2.4 for trees: sums of the linear and angular momenta of all bodies outboard of a joint, from
// the tips to the roots, and accelerations back.
//
// With the three distance constraints of a body (Eqs 2.20) the accelerations of its particles are
// r̈_i = r̈_1 + α × r_i1 + ω × (ω × r_i1), so that the right-hand sides of Eqs 2.15 and 2.16 become S z + e with z = (α,
// r̈_1) for the body, and for all that it carries once the motion of each joint outboard is eliminated by its own
// condition: a spherical joint bears no moment (Eq 2.18 = 0), the moment of a revolute joint has no component along the
// axis of its two particles (Step 3), the force and moment of any other joint do no work on its motions (Step 4).
//
// Where loops are cut, the forces of the cut joints stand in these sums as unknowns until the constraints of the cut
// joints substitute for them (Sect. 2.4.2), at the body where the two chains of a loop meet (loop_closure.hpp).
#pragma once

#include <span>
#include <vector>

#include "layout.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/mending.hpp"
#include "polyform/mechanics/transfer.hpp"

namespace polyform {
struct DoubleDouble;
}

namespace polyform::particles {

class Recursion {
 public:
  /// loops: those of the system, evaluated by the caller at the positions and velocities. All three outlive the object.
  Recursion(const SystemView&, const Layout&, LoopClosure& loops);

  /// What the recursion reads, per body, particle or joint.
  struct Input {
    std::span<const Vec3> positions, velocities;
    std::span<const Triangle> triangles;
    std::span<const Vec3> angular_velocities;
    std::span<const BodyMotion> motions;      ///< where there are loops, or joints not spherical, revolute or fixed
    std::span<const JointConstraint> joints;  ///< of such joints
    std::span<const Spatial> loads;           ///< on the bodies, about particle 1, or empty
  };
  /// Errors of the distances, ties and joints, of positions or of velocities: kept for corrections(). Returns the
  /// largest.
  double find_errors(const Input&, bool of_velocities) noexcept;
  /// The least changes of positions or velocities, in the mass metric, that undo these errors and those of the loops to
  /// first order: the same recursion with errors in the place of velocity terms.
  bool corrections(const Input&, bool of_velocities, std::span<Vec3> out) noexcept;
  /// r̈ of all moving particles. False when a joint moves a body without inertia: failed_joint() tells which. Now and
  /// then what is left of the momenta is looked at, and where digits have been lost they are won back.
  bool accelerations(const Input&, std::span<Vec3> out) noexcept;
  /// The next accelerations are looked at, as after a state that has nothing to do with the ones before.
  void look() { refinement_.mending.look(); }
  std::size_t failed_joint() const { return failed_; }

 private:
  enum class Hinge : unsigned char { spherical, spherical_in_loop, revolute, fixed, free, general };
  struct Link {
    Hinge hinge;
    bool looped;  ///< forces of cut joints pass the joint, or act on the body
    Representation representation;
    /// Of the particles 2, 3 and 4 (0 to 2 here): weight_ij, Σ_j weight_ij, and where 3 is.
    double mass, weight[3][3], total[3];
    double least;  ///< moment of inertia about any axis, at least
    Invariants third;
    std::int32_t parent;
    std::uint32_t particle[3], parent_particle;  ///< parent_particle: particle 1 of the inboard body
    std::uint32_t direction, directions;         ///< in directions_
    std::uint32_t own, owns;                     ///< in own_: the particles that the body brought
    std::uint32_t rate;  ///< in Refinement: of its directions, of a spherical joint of α
    std::int8_t place[2];  ///< of the first two shared particles in the inboard body, see shape_of
  };

  // recursion.cpp
  void set_inertia(std::size_t i, const Input&) noexcept;
  void set_directions(std::size_t i, const Input&) noexcept;
  void set_velocity_terms(std::size_t i, const Input&) noexcept;
  void begin_loops(LoopClosure::Level, const Input&, const Vec3& ground) noexcept;
  Spatial general_bias(std::size_t i, const Input&) const noexcept;
  template <bool mending>
  bool pass_joint(std::size_t i, Transfer<double>&) noexcept;
  static bool is_rounding(std::span<const Column<double>> directions, const PivotScale<double>&) noexcept;
  Transfer<double> about_parent(std::size_t i, const Transfer<double>&) const noexcept;
  template <bool mending>
  bool sum_momenta() noexcept;
  Spatial follow_joint(std::size_t i, const Spatial& at_ground) noexcept;
  Spatial follow_joint_in_loop(std::size_t i, Spatial z) noexcept;
  void tell_particles(std::size_t i, const Input&, const Spatial& z, std::span<Vec3> out) const noexcept;

  // recursion_refine.cpp
  bool mend(const Input&) noexcept;
  bool looks_wrong(const Input&) noexcept;
  void set_terms(const Input&) noexcept;
  void accelerate_finely() noexcept;
  template <class T>
  void find_rest(const Input&, const SpatialVector<T>* z, SpatialVector<T>* force) noexcept;
  bool solve_for_rest(const Input&) noexcept;
  void follow_rest(std::size_t i) noexcept;
  ActingAccelerations find_acting(const Input&) const noexcept;

  /// For what is left of the momenta and what it takes to win back lost digits.
  struct Refinement {
    Refinement();
    ~Refinement();
    void resize(std::size_t bodies, std::size_t rates);

    std::vector<SpatialVector<DoubleDouble>> fine_z, fine_force;
    std::vector<DoubleDouble> fine_rates;
    std::vector<Spatial> z, force, step;  ///< per body; step: of z
    std::vector<double> rest, rates;      ///< see Link::rate: missing, and the step that adds it
    /// Long loops of like bodies lose 1e-10, which their positions do not hold either; with light bodies between heavy
    /// ones the error of the accelerations can be some times what is left: from here on it stays below 1e-9.
    Mending mending{3e-10};
  };

  // recursion_correct.cpp
  Vec3 shape_of(const Link&, std::size_t shared) const noexcept;
  void find_shape(std::size_t i, const Input&, bool of_velocities) noexcept;
  void find_joint_error(std::size_t i, const Input&, bool of_velocities) noexcept;
  void set_shape_terms(std::size_t i, const Input&) noexcept;

  const SystemView& view_;
  const Layout& layout_;
  LoopClosure& loops_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> own_;
  std::vector<Column<double>> directions_;  ///< the motions of joints other than spherical ones
  std::vector<Ball<double>> balls_;         ///< per body
  /// Rates of angular and linear momentum per body, about its particle 1: S z + e, the acceleration in z less gravity.
  /// With those of the children that do not follow it at once.
  std::vector<Transfer<double>> momenta_;
  std::vector<Vec3> arms_;       ///< from the parent's particle 1 to the body's own
  std::vector<Spatial> biases_;  ///< z of the body when that of its parent and all v̇ are zero
  std::vector<Spatial> z_;
  std::vector<Vec3> to_first_;  ///< from the frame origin to particle 1, of bodies that cut joints tie
  /// Changes of the particles 2 and 4 relative to 1 that restore the distances without turning the body, and of the
  /// tied particles (by particle) that restore Eq 2.10.
  struct Shape {
    Vec3 c2, c4;
  };
  std::vector<Shape> shapes_;
  std::vector<Vec3> tied_;
  std::vector<Spatial> errors_;  ///< biases_ of a correction
  Refinement refinement_;
  double worst_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace polyform::particles
