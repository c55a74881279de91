// The equations of motion in the coordinates of the particles,
//
//   [M  Cᵀ] [r̈ ]   [f]     r: positions of the moving particles; particle 3 of each body is eliminated (Eq 2.14)
//   [C  0 ] [−λ] = [γ]     C: distances (Eqs 2.4a–c), ties (Eq 2.10), joints that share too little, cut joints
//
// by the recursion in trees and in loops that are cut, as one sparse symmetric system where there are constraint
// elements or bodies without inertia in the tree that the loops leave when they are cut. M is the mass
// of the ten particles of each body as its particles 1, 2 and 4 feel it, so that Mr̈ are the terms of Eqs 2.15 and 2.16.
// A particle and the rows that hold it to its body or to the inboard body form one block, which is regular by itself;
// eliminating these blocks from the tips to the roots leaves at a shared particle the momentum of all bodies outboard,
// without fill in a tree. Rows of cut joints and constraint elements are blocks of their own and may be redundant.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "layout.hpp"
#include "polyform/solvers/block_ldlt.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/contract/formulation.hpp"
#include "recursion.hpp"

namespace polyform::particles {

/// One object per thread; nothing allocates after construction. Functions that can fail return false and leave a
/// sentence in failure().
class ParticleSystem {
 public:
  /// loaded: the bodies whose wrenches count. All three outlive the object. recursive: the recursion, where it can be,
  /// not the sparse system. origin: what positions count from, for the elements.
  ParticleSystem(const SystemView&, const Layout&, std::span<const BodyIndex> loaded, bool recursive,
                 const Vec3& origin = {});
  bool good() const { return elements_.good(); }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { elements_.follow(discrete); }

  /// Positions and velocities of all particles, those on ground included: set them, then call the functions below.
  std::span<Vec3> positions() { return positions_; }
  std::span<Vec3> velocities() { return velocities_; }

  /// Moves the particles onto all constraints: Newton's method in the mass metric of the particles. q: coordinates of
  /// all joints, hints on entry. Succeeds when the largest residual is at most the tolerance (m, rad).
  bool correct_positions(double t, std::span<double> q, std::span<double> v, double tolerance, Correction&) noexcept;
  /// The velocities nearest to the given ones in the mass metric that respect the constraints; the positions are what
  /// correct_positions() has just left.
  bool correct_velocities(double t, std::span<double> q, std::span<double> v, Correction&) noexcept;

  /// Lets the velocities turn with the bodies by what correct_positions() has just moved the particles: of a spinning
  /// body whose radii it has restored the rate is kept, not the speeds.
  void carry_velocities(std::span<double> q, std::span<double> v) noexcept;

  /// Only what the corrections would start from.
  void find_violations(double t, std::span<double> q, std::span<double> v, Correction&) noexcept;

  /// Bodies, masses and constraints at the positions and velocities. q: hints on entry; q and v are found for all
  /// joints, or only for those whose constraints or forces need them. corrected: the state is what the corrections have
  /// just left; their factors still serve.
  void evaluate(double t, std::span<double> q, std::span<double> v, bool all_joints, bool corrected = false) noexcept;
  /// r̈ of the particles at the evaluated state, into accelerations(). wrenches: applied, about the frame origins,
  /// without gravity; efforts: on the velocity coordinates of all joints.
  bool find_accelerations(std::span<const Spatial> wrenches, std::span<const double> efforts) noexcept;
  /// Whether the masses determine all accelerations at the evaluated state: false names a body in failure(). Finds
  /// which rows of loops depend on others; needs evaluate(…, true).
  bool check_regular() noexcept;
  /// Rows of the i-th cut joint that the recursion leaves out because they depend on others, a bit each: found by
  /// check_regular() and the corrections, where the loops are closed, and told for the states in between.
  unsigned left_out(std::size_t i) const { return loops_.rows().left_out(i); }
  void leave_out(std::size_t i, unsigned rows) { loops_.rows().leave_out(i, rows); }

  // At the evaluated state:
  /// Motions of the body frames; up to date where forces or joints need them, or all joints were asked for.
  std::span<const BodyMotion> motions() const { return motions_; }
  Mat3 orientation(std::size_t i) const { return times_transpose(triangles_[i].axes(), layout_.bodies[i].to_body); }
  std::span<const Vec3> angular_velocities() const { return angular_velocities_; }
  bool finds_joint(std::size_t j) const { return needed_[j]; }  ///< whether q and v are found in any case
  bool finds_joints() const { return finds_joints_; }           ///< of any joint
  double position_violation() const { return position_violation_; }
  double velocity_violation() const { return velocity_violation_; }
  bool is_recursive() const { return recursive_; }  ///< whether accelerations come from the recursion
  /// Whether accelerations are sound only where the loops are closed.
  bool needs_closed_states() const { return !recursive_ && !view_.cut_joints().empty(); }
  // After find_accelerations():
  /// Whether the loops are so near a singular position that what they are open by spoils the accelerations.
  bool is_beside_singular_position() const;
  std::span<const Vec3> accelerations() const { return accelerations_; }
  /// Of the frame origin of body i.
  Spatial body_acceleration(std::size_t i) const noexcept;
  /// What each joint transmits to its moving body at the origin of M, ground axes (Eq 2.17 and its kin): of a tree
  /// joint from the momenta of the bodies outboard, of a cut joint from its multipliers. Needs evaluate(…, true).
  void find_reactions(std::span<const Spatial> wrenches, std::span<Spatial> out) noexcept;
  /// d/dt of the velocity coordinates of all joints. Needs evaluate(…, true), and comes before find_reactions(). False
  /// when rows of a loop that depend on others contradict them.
  bool joint_accelerations(std::span<double> vdot) noexcept;
  /// Of constraint elements that ask for a velocity, after find_accelerations(): (λ + effort) · right-hand side, W.
  double driving_power() const noexcept;

  std::string_view failure() const noexcept { return {failure_, failure_size_}; }

 private:
  enum class Level { position, velocity, acceleration };
  enum class Kind : unsigned char { distance, tie, joint, element };
  /// Where a particle or a group of rows stands among the unknowns.
  struct Chunk {
    std::size_t block = none, offset = 0, first = none;  ///< first: in vectors over the unknowns
  };
  /// Constraint rows of one origin, on the particles that they tie.
  struct Group {
    Kind kind;
    bool loop;          ///< may be redundant
    std::size_t index;  ///< of the body, tie, joint or element
    std::size_t part;   ///< tie: which of the body; distance: first of the pairs 21, 41, 42
    std::size_t rows;
    std::size_t entry, entries;  ///< in entries_
    std::size_t side, sides;     ///< in sides_
    std::size_t pair;            ///< first in pairs_, for the pairs of entries
    Chunk chunk;
    BlockLdlt::Block diagonal;
    double mass;  ///< yardstick
  };
  struct Entry {
    std::size_t particle;
    std::size_t first;  ///< of the rows' coefficients, in coefficients_
    BlockLdlt::Block place;
  };
  /// A body that a group acts on, and the entries of its three particles (none: on ground).
  struct Side {
    std::size_t body;
    std::size_t entry[3];
  };
  struct Place {
    BlockLdlt::Block block;
    bool lower;  ///< on the diagonal: lower triangle only
  };
  /// The mass of a body on its particles 1, 2 and 4: blocks (a, b), a ≥ b, row after row.
  struct Mass {
    Mat3 block[6];
    Place place[6];
    double scale = 0;  ///< kg, of a neighbour where the body has none
    double added = 0;  ///< kg, yardstick of what a singular one gets in the factors
    bool singular = false;
  };
  struct Refinement {
    double tolerance;
    double particle_error = 0, row_error = 0;
    std::size_t worst_particle = 0, worst_group = 0;
  };

  // particle_system.cpp: the parts and their sizes
  void find_needed_joints();
  bool tree_is_regular();
  void make_scales();
  void make_blocks();
  void add_body_blocks(std::size_t body);
  std::size_t new_block();
  void append(std::size_t block, std::size_t particle);
  Group& append(std::size_t block, Kind, std::size_t index, std::size_t part, std::size_t rows,
                std::span<const std::size_t> bodies, std::size_t extra_particle = none);
  void analyze();
  BlockLdlt::Block place_of(const Chunk& row, const Chunk& column);

  // particle_rows.cpp: C and the right-hand sides, M
  void place_bodies(bool motions) noexcept;
  void place_system(bool all_joints, std::span<double> q, std::span<double> v) noexcept;
  void set_rows(double t, Level, std::span<double> q, std::span<double> v, bool all_joints) noexcept;
  void set_joint(std::size_t joint, std::span<double> q, std::span<double> v) noexcept;
  void set_distance_rows(const Group&, Level) noexcept;
  void set_tie_rows(const Group&, Level) noexcept;
  void set_joint_rows(const Group&, Level) noexcept;
  void set_element_rows(const Group&, Level) noexcept;
  void clear_rows(const Group&) noexcept;
  void add_to_row(const Group&, std::size_t row, BodyIndex, const Spatial& about_origin) noexcept;
  void add_joint_row(const Group&, std::size_t row, std::size_t joint, const Spatial& t) noexcept;
  Spatial velocity_terms(BodyIndex) const noexcept;
  Spatial joint_velocity_terms(std::size_t joint) const noexcept;
  void set_masses() noexcept;

  // particle_accelerations.cpp
  void apply(BodyIndex, const Spatial& about_origin) noexcept;
  void apply_joint_effort(std::size_t joint) noexcept;
  void set_own_forces() noexcept;
  bool find_by_recursion() noexcept;
  bool fail_recursion() noexcept;
  bool fail_not_finite() noexcept;
  bool fail_load(std::size_t body) noexcept;
  bool find_by_solution() noexcept;

  // particle_solve.cpp: the sparse system
  bool factorize(double epsilon) noexcept;
  bool solve(Refinement&) noexcept;
  bool refine(Refinement&, double epsilon) noexcept;
  void find_residual(Refinement&) noexcept;
  void penalize_residual() noexcept;
  bool fail_with(const Refinement&) noexcept;
  bool check_solution(const Refinement&) noexcept;
  bool check_rows() noexcept;
  bool contradict(const char* kind, std::string_view name, double error) noexcept;

  // particle_correct.cpp
  Recursion::Input recursion_input() const noexcept;
  double errors(bool of_velocities) noexcept;
  void keep_uncorrected() noexcept;
  bool correct_positions_by_recursion(std::span<double> q, std::span<double> v, double tolerance, double target,
                                      Correction&) noexcept;
  bool correct_velocities_by_recursion(std::span<double> q, std::span<double> v, Correction&) noexcept;

  // particle_reactions.cpp
  Spatial momentum_rate(std::size_t body) const noexcept;

  template <class... T>
  bool fail(const char* format, const T&... values) noexcept;
  std::string_view name_of(const Group&) const noexcept;
  const char* kind_of(const Group&) const noexcept;
  const JointConstraint& constraint_of(std::size_t joint) const noexcept {
    return recursive_ && joint >= view_.bodies.size() ? loops_.constraints().joint(joint - view_.bodies.size()) : joints_[joint];
  }

  const SystemView& view_;
  const Layout& layout_;
  std::span<const BodyIndex> loaded_;
  ConstraintSet elements_;
  BlockLdlt matrix_;
  FlexibleLinks flexible_;  ///< none, which the loops ask for
  LoopClosure loops_;  ///< cut joints of the recursion
  Recursion recursion_;
  bool recursive_ = true;                              ///< accelerations come from it
  bool needs_motions_ = false, finds_joints_ = false;  ///< in every evaluation

  std::vector<Chunk> chunks_;       ///< per particle
  std::vector<std::size_t> sizes_;  ///< of the blocks
  std::vector<bool> singular_block_, loop_block_;
  std::vector<Group> groups_;
  std::vector<Entry> entries_;
  std::vector<Side> sides_;
  std::vector<Place> pairs_;
  std::vector<Vec3> coefficients_;
  // Over the unknowns: penalties D; squared coefficients of the rows of joints and elements, body by body, so that a
  // row which vanishes because its bodies share their particles has a size nevertheless.
  std::vector<double> penalty_, row_size_;
  std::vector<Mass> masses_;  ///< per body
  std::vector<bool> needed_;  ///< per joint
  std::vector<std::size_t> group_of_joint_;

  std::vector<Vec3> positions_, velocities_, accelerations_;
  std::vector<Vec3> uncorrected_, uncorrected_rates_;  ///< positions and angular velocities before correct_positions()
  std::vector<Vec3> carried_;                          ///< changes of velocities, see carry_velocities()
  std::vector<Triangle> triangles_;
  std::vector<Vec3> angular_velocities_;
  std::vector<BodyMotion> motions_;
  std::vector<JointConstraint> joints_;  ///< but those of loops_
  double position_violation_ = 0, velocity_violation_ = 0;

  // Over the unknowns, in the order of the matrix: right-hand side, solution (multipliers negative), work.
  std::vector<double> data_, solution_, residual_, step_, start_;
  std::vector<double> heaviest_;                  ///< per particle, kg: largest scale of the bodies that share it
  std::vector<double> motion_size_, force_size_;  ///< per particle, yardsticks
  std::vector<double> efforts_;                   ///< on the joints, those of constraint elements included
  std::vector<Spatial> loads_;                    ///< on the bodies, see where it is used
  bool factorized_ = false;
  char failure_[400];
  std::size_t failure_size_ = 0;
};

}  // namespace polyform::particles
