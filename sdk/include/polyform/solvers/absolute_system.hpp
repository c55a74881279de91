// All bodies free, all joints as constraints: the equations of motion in absolute coordinates,
//
//   [M  Aᵀ] [ẋ ]   [f]     x: per body the angular velocity and the velocity of the mass centre, ground axes,
//   [A  0 ] [−λ] = [b]     so that M is block diagonal: diag(J, m 1)
//
// solved as a sparse symmetric system with a cost linear in the bodies for chains, trees and ladders of loops.
// Constraints may be redundant (A without full row rank) and M singular, as long as the motion is determined: a
// quasi-definite neighbour of the matrix is factorized, and iterative refinement against the true matrix removes the
// difference. The multipliers of redundant rows are those of least norm (in a metric of the bodies' masses). Where masses
// differ by so much that no neighbour is near enough, the matrix itself is factorized with twice the digits, without the
// rows that depend on others (absolute_system_fine.cpp).
//
// Of a flexible body x holds the angular velocity, the velocity of the frame origin and η̇, 6 + m in all.
//
// A module is a block of its own: x holds the rates of its variables u, M and f are its own, its rows stand in A.
//
// It serves formulations in absolute coordinates, which may solve the equations in a way of their own, and the host:
// closing loops, projecting velocities in the inertia metric.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/solvers/block_ldlt.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/scale.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

struct PositionCorrection {
  double residual_before = 0, residual = 0;  ///< largest constraint residual (rad, m)
  std::size_t iterations = 0;                ///< Newton steps
};

/// What accelerations are for. Next to a singular position of a loop, x (of its size) away, rounding of positions by η
/// makes that of velocities η/x and of accelerations η/x²·1/x: a stage of an integrator is better off without rows that
/// depend on others up to x = ∛η than with accelerations of rounding, which would hold the step there. What is shown is
/// to meet all rows.
enum class Accelerations : unsigned char { of_stage, shown };

/// One object per thread; nothing allocates after construction. Functions that can fail return false and leave a
/// sentence in failure(). Constraints are those of all joints, of all constraint elements and of all modules of the
/// view: its ties, in this order.
class AbsoluteSystem {
 public:
  /// absent: per tie, whether its rows do not count; or empty. origin: what positions count from, for the elements. The
  /// view outlives the object.
  explicit AbsoluteSystem(const SystemView& view, const std::vector<bool>& absent = {}, const Vec3& origin = {});

  /// Whether all constraint elements, flexible bodies and modules could be made.
  bool good() const { return elements_.good() && flexible_.good() && modules_.good(); }

  /// Moves the bodies onto the constraints: Newton's method in the inertia metric, from near or far (steps are
  /// limited). poses: of the body frames, in and out; the quaternions stay continuous. q: coordinates of all joints,
  /// hints on entry; eta: of all modes, in and out. states: first-order states, of which those that are integrals of
  /// modules' variables are moved too; where they are not given, rows of modules ask nothing. Succeeds when the largest
  /// residual is at most tolerance, after going on to round-off.
  bool correct_positions(double t, std::span<Pose> poses, std::span<double> q, double tolerance, PositionCorrection&,
                         std::span<double> eta = {}, std::span<double> states = {}) noexcept;
  /// The velocities nearest to the given ones in the inertia metric that respect the constraints at the given poses:
  /// min ½ (x − x₀)ᵀ M (x − x₀) subject to A x = right. bodies: V in and out; etadot too. q: hints on entry; q, v: the
  /// joints' coordinates and velocities afterwards. violation: the largest before. after_positions: the poses are those
  /// that correct_positions has just left, whose factors still serve. states: first-order states, of which the modules'
  /// u are moved too; where they are not given, rows of modules ask nothing.
  bool project_velocities(double t, std::span<BodyMotion> bodies, std::span<double> q, std::span<double> v,
                          double& violation, bool after_positions = false, std::span<const double> eta = {},
                          std::span<double> etadot = {}, std::span<double> states = {}) noexcept;

  /// Constraints, inertia and joint coordinates at these motions; q holds hints on entry. For accelerations(). states:
  /// first-order states of the system, read for modules; where they are not given, rows of modules ask nothing.
  void evaluate(double t, std::span<const BodyMotion> bodies, std::span<double> q, std::span<double> v,
                std::span<const double> eta = {}, std::span<const double> etadot = {},
                std::span<const double> states = {}) noexcept;
  /// Accelerations of the mass centres (of flexible bodies: of the frame origins; angular, linear; ground axes) at the
  /// evaluated motions, and η̈. wrenches: applied, about these points, without gravity and gyroscopic terms; efforts: on
  /// the velocity coordinates of all joints; modal_forces: applied, of all modes.
  bool accelerations(std::span<const Spatial> wrenches, std::span<const double> efforts, std::span<Spatial> out,
                     std::span<const double> modal_forces = {}, std::span<double> etaddot = {},
                     Accelerations = Accelerations::shown) noexcept;
  /// Whether the accelerations just found (or set) meet all rows, those that depend on others too: false names the joint
  /// or element in failure(). given_way: what rows that are not rigid may miss, or empty. Not for stages of an integrator:
  /// as near to a singular position as those come by chance, a row counts as dependent for once that is not quite.
  bool check_rows(std::span<const double> given_way = {}) noexcept;
  /// Whether the evaluated motions and rows are finite: false names the joint or element in failure() that is not.
  bool check_finite() noexcept;
  /// The first and the last part of accelerations(), around a solution by other means: f of the equations, φ included;
  /// and a solution x, λ of them (as in loads() and right()) for the functions below.
  void set_loads(std::span<const Spatial> wrenches, std::span<const double> efforts,
                 std::span<const double> modal_forces = {}) noexcept;
  void set_solution(std::span<const double> x, std::span<const double> multipliers) noexcept;
  /// Whether the inertia determines all accelerations at the evaluated motions: false names a body in failure() that
  /// has no mass or inertia for a motion which the joints leave free.
  bool check_regular() noexcept;
  /// Whether a block has no mass, or no inertia for some motion of its own; what it has may be ever so little.
  bool lacks_inertia(std::size_t block) const { return scales_[block].lacking; }

  // The unknowns, in blocks: of the bodies, then of the modules; and the ties.
  std::size_t blocks() const { return own_.size(); }
  std::size_t offset(std::size_t block) const { return offsets_[block]; }  ///< offset(blocks()): number of unknowns
  std::size_t size(std::size_t block) const { return offsets_[block + 1] - offsets_[block]; }
  std::string_view name_of_block(std::size_t block) const noexcept;
  bool is_module(std::size_t block) const { return block >= view_.bodies.size(); }
  std::size_t ties() const { return groups_.size(); }
  std::size_t rows() const { return rows_; }
  std::size_t rows(std::size_t tie) const { return groups_[tie].rows; }
  std::size_t first_row(std::size_t tie) const { return groups_[tie].row; }
  bool is_joint(std::size_t tie) const { return tie < view_.joints.size(); }
  const char* kind_of_tie(std::size_t tie) const noexcept;  ///< joint, constraint or module
  std::string_view name_of_tie(std::size_t tie) const noexcept;
  /// Coefficients of a tie's rows for one of the blocks that it ties: of a body 6 per row (about its mass centre), and
  /// those of its modes or of the module's variables, row after row.
  struct Coefficients {
    std::size_t block;
    std::span<const Spatial> frame;
    std::span<const double> own;
  };
  std::size_t tied_blocks(std::size_t tie) const { return groups_[tie].entries; }
  Coefficients coefficients(std::size_t tie, std::size_t i) const {
    const Entry& e = entries_[groups_[tie].entry + i];
    const std::size_t rows = groups_[tie].rows;
    return {e.block,
            {coefficients_.data() + e.first, e.frame == 0 ? 0 : rows},
            {own_coefficients_.data() + e.own, rows * e.owns}};
  }

  // At the evaluated motions:
  std::span<const double> right() const { return right_; }  ///< b
  /// After set_loads(): f + φ, of all blocks.
  std::span<const double> loads() const { return {data_.data(), offsets_.back()}; }
  /// out = M x of one block.
  void multiply_inertia(std::size_t block, const double* x, double* out) const noexcept;
  /// M of a flexible body's block (first six in ground axes) or a module's, rows first; M of other bodies is
  /// diag(inertia(), mass).
  std::span<const double> mass_matrix(std::size_t block) const noexcept;
  const Sym3& inertia(std::size_t body) const { return inertias_[body]; }  ///< about the mass centre, ground axes
  const ModuleSet& modules() const { return modules_; }
  const JointConstraint& joint(std::size_t i) const { return joints_[i]; }
  /// Mass centre of body i from its frame origin, ground axes; zero for a flexible body.
  const Vec3& center(std::size_t i) const { return centers_[i]; }
  std::span<const BodyMotion> frames() const { return motions_; }  ///< bodies, then nodes
  const NodeMotions& nodes() const { return nodes_; }
  const FlexibleSet& flexible() const { return flexible_; }
  double position_violation() const { return position_violation_; }  ///< largest residual (rad, m)
  double velocity_violation() const { return velocity_violation_; }  ///< largest of A x − right (rad/s, m/s)
  // After accelerations() or set_solution():
  std::span<const double> solution() const { return {solution_.data(), offsets_.back()}; }  ///< x, of all blocks
  /// What joint i transmits to its moving body at the origin of M, ground axes: constraint force, joint effort and
  /// the force of constraint elements on its velocity coordinates.
  Spatial reaction(std::size_t i) const noexcept;
  /// Acceleration of the frame origin of body i.
  Spatial origin_acceleration(std::size_t i) const noexcept;
  /// d/dt of the velocity coordinates of all joints.
  void joint_accelerations(std::span<double> vdot) const noexcept;
  /// Rates of the modules' u and x, to their places among the first-order states.
  void module_rates(std::span<double> xdot) const noexcept;
  /// Of constraint elements and modules whose rows ask for a velocity: (λ + effort) · right-hand side of the velocities, W.
  double driving_power() const noexcept;
  /// Multipliers of the rows of all modules.
  void module_multipliers(std::span<double> out) const noexcept;

  /// Why the last call failed, naming the body or joint; empty after success.
  std::string_view failure() const noexcept { return {failure_, failure_size_}; }

 private:
  enum class Level { position, velocity, acceleration };
  /// The rows of one joint, constraint element or module, on the blocks that it ties.
  struct Group {
    std::size_t rows, row;       ///< number, and first of all rows
    std::size_t entry, entries;  ///< in entries_
  };
  struct Entry {
    std::size_t block;
    std::size_t frame;      ///< unknowns of a body's frame: 6, of a module 0
    std::size_t first;      ///< of the rows' coefficients for the frame, in coefficients_
    std::size_t own, owns;  ///< those of the block's own unknowns, rows first: in own_coefficients_; their number
    BlockLdlt::Block place;
  };
  /// Unknowns of a block beside those of a frame: modes of a flexible body, variables of a module.
  struct Own {
    std::size_t first = 0, count = 0;  ///< in own_mass_, own_length_: all modes, then all variables
  };
  /// Relative size of what is subtracted from the zero block. The error shrinks by about this factor per round, less in
  /// nearly dependent rows; a smaller one would leave the pivots of redundant rows to round-off.
  static constexpr double least_epsilon = 1e-10;
  /// Which quasi-definite neighbour of the matrix is factorized.
  struct Neighbour {
    double loop_epsilon = least_epsilon;  ///< for cut joints and constraint elements
    double gyration = 0;                  ///< radius of gyration added to all bodies, m
  };
  /// What more rounds follow, by conjugate gradients, where the neighbour is far: motions with little inertia of their
  /// own, or also rows that nearly depend on others.
  enum class Follow : unsigned char { nothing, inertia, all };
  /// How far a solution is to be refined, and what is left of the residual, relative to the size of its terms.
  struct Refinement {
    std::size_t rounds;  ///< at most, but for those that follow
    double tolerance;
    Follow follow;
    Neighbour neighbour{};
    double body_error = 0, row_error = 0;
    bool leaves_nearly_dependent = false;  ///< rows that nearly depend on others are left as the usual rounds leave them
    double last_step = 0;  ///< what one more round would change at most, relative to the motion of a block
    std::size_t worst_step = 0;
    bool conjugate = false;  ///< the last round was such a one
    double work = 0;       ///< of the residual on its step, before the last conjugate step
    std::size_t worst_body = 0, worst_row = 0;
  };
  /// Sizes of a body that make its equations comparable; made up where it has no mass or inertia.
  struct Scale {
    double mass = 0, inertia = 0, length = 0;
    bool lacking = false;   ///< the body has no mass, or no inertia about some axis
    bool singular = false;  ///< it is lacking, or next to massless beside those that it is tied to
  };

  /// How large the motion and the forces of a body are, m/s² and N (or the units of the level), as a yardstick.
  struct Size {
    double motion = 0;  ///< that there is, and that the load would give the body alone
    double force = 0;
  };

  // absolute_system.cpp: the parts and their sizes
  void add_ties(const std::vector<bool>& absent);
  void add_element(const ConstraintSet::Element&, std::size_t rows);
  bool has_independent_rows() const;
  void add_group(std::size_t rows, std::span<const BodyIndex> bodies);
  void add_entry(Group&, std::size_t block);
  std::vector<bool> find_light() const;
  void make_scales();
  void spread_scales();
  void make_matrix();
  const FlexibleData* flexible_data(std::size_t body) const noexcept {
    const std::size_t f = view_.bodies[body].flexible;
    return f == rigid ? nullptr : &view_.flexible[f];
  }
  Entry* entry_of(const Group&, BodyIndex) noexcept;
  std::size_t row_at(std::size_t row) const { return offsets_.back() + row; }
  std::size_t frame_size(std::size_t block) const { return block < view_.bodies.size() ? 6 : 0; }
  /// What a tie from the first constraint element on asks of markers and joints.
  const ConstraintSet::Element& element_of(std::size_t tie) const { return *tied_[tie - view_.joints.size()]; }
  /// First tie of a module.
  std::size_t module_ties() const { return groups_.size() - modules_.modules().size(); }
  std::size_t group_of_row(std::size_t row) const noexcept;

  // absolute_system_rows.cpp: A and the right-hand sides, at motions_, eta_ and etadot_
  void set_motions(std::span<const BodyMotion> bodies, std::span<const double> eta, std::span<const double> etadot,
                   std::span<const double> states) noexcept;
  void set_rows(double t, Level, double* q, double* v) noexcept;
  void set_joint_rows(std::size_t joint, Level, double* q, double* v) noexcept;
  void set_element_rows(std::size_t tie, Level) noexcept;
  double set_module_rows(std::size_t tie, std::size_t row, Level) noexcept;
  std::size_t body_of(FrameIndex) const noexcept;
  Spatial wrench_about_center(FrameIndex, const Spatial& wrench, double* modal) const noexcept;
  void add_to_row(const Group&, std::size_t row, FrameIndex, const Spatial& about_origin) noexcept;
  void add_joint_row(const Group&, std::size_t row, std::size_t joint, const Spatial& t) noexcept;
  Spatial velocity_terms(FrameIndex) const noexcept;
  Spatial velocity_terms_of(std::size_t joint) const noexcept;

  // absolute_system_inertia.cpp: M
  void make_flexible_scale(std::size_t flexible);
  void make_module_scales();
  void scale_bodies_by_modules() noexcept;
  double reflected_mass(std::size_t tie, std::size_t variable) const noexcept;
  void set_inertia() noexcept;
  void enter_inertia(std::size_t body, const Neighbour&) noexcept;
  void enter_massless(std::size_t body, const BlockLdlt::Block&) noexcept;
  void apply_flexible_forces(std::span<const double> modal_forces) noexcept;

  // absolute_system_solve.cpp: the saddle-point system
  bool factorize(const Neighbour&) noexcept;
  void enter_row(const Entry&, std::size_t row) noexcept;
  void find_residual(Refinement&) noexcept;
  void find_block_residual(std::size_t block) noexcept;
  double dependence_of_left(std::span<const double> given_way) noexcept;
  double held_force(std::size_t tie, std::size_t row) const noexcept;
  double row_weight(const Entry&, std::size_t row) const noexcept;
  double share_of_row(const Entry&, std::size_t row, const double* x) const noexcept;

  // absolute_system_refine.cpp: its solution
  bool solve(Refinement&) noexcept;
  bool find_refinement(const Refinement&, bool rows_count = true) noexcept;
  bool step_is_inertial(const Refinement&) const noexcept;
  double relative_step(std::size_t& worst_block) const noexcept;
  double work_along_direction() noexcept;
  void take_conjugate_step(Refinement&) noexcept;
  bool check_accuracy(const Refinement&) noexcept;

  // absolute_system_fine.cpp: the same with twice the digits
  struct Fine;
  struct DeleteFine {
    void operator()(Fine*) const noexcept;
  };
  void make_fine(std::span<const std::size_t> sizes, std::span<const std::pair<std::size_t, std::size_t>> pairs);
  bool has_uneven_masses() const;
  void look_finely() noexcept;
  bool solve_unevenly(Accelerations) noexcept;
  bool solve_finely(Accelerations) noexcept;
  bool judge_rows(Accelerations) noexcept;
  void enter_fine_row(std::size_t entry, std::size_t row) noexcept;
  bool factorize_finely() noexcept;
  void find_fine_rest() noexcept;

  // absolute_system_accelerations.cpp
  bool solve_evenly(Accelerations) noexcept;

  // absolute_system_checks.cpp: what solutions are told from
  bool fail_free(const Refinement&, std::size_t block) noexcept;
  bool find_free(Refinement&, std::size_t& block) noexcept;

  // absolute_system_accelerations.cpp: loads and what comes of them
  void apply_wrench(FrameIndex, const Spatial& about_origin) noexcept;
  void apply_joint_effort(std::size_t joint) noexcept;
  void apply_modules() noexcept;
  Spatial acceleration_of(FrameIndex) const noexcept;
  void apply_element_effort(std::size_t tie) noexcept;
  void add_element_efforts() noexcept;

  // absolute_system_correct.cpp: Newton's method
  bool find_positions(double t, std::span<Pose> poses, std::span<double> q, double target, double tolerance,
                      PositionCorrection&) noexcept;
  double position_merit(double t, std::span<const Pose>, std::span<double> q) noexcept;
  bool find_step(double worst) noexcept;
  void move(std::span<Pose> poses) noexcept;
  void move_states(double fraction) noexcept;
  double search(double t, std::span<Pose> poses, std::span<double> q, double merit_before) noexcept;

  template <class... T>
  bool fail(const char* format, const T&... values) noexcept;

  const SystemView& view_;
  ConstraintSet elements_;
  ModuleSet modules_;
  FlexibleSet flexible_;
  NodeMotions nodes_;
  Yardstick yardstick_;
  BlockLdlt matrix_;
  bool whole_tree_ = true;         ///< no tree joint is absent
  bool rows_independent_ = true;   ///< by structure: no loops, and nothing else that may ask one thing twice
  bool rows_of_velocity_ = false;  ///< some rows ask nothing of positions: factors of these do not serve velocities

  std::vector<Group> groups_;  ///< of the ties
  std::vector<const ConstraintSet::Element*> tied_;  ///< of the ties but joints
  std::vector<Entry> entries_;
  std::vector<BlockLdlt::Block> diagonals_;  ///< of blocks, then of groups with rows
  std::vector<Scale> scales_;                ///< per block
  std::vector<Own> own_;                     ///< per block
  std::vector<double> own_mass_, own_length_;  ///< per unknown that is not of a frame: M_kk, and √(M_kk / mass)
  std::vector<std::size_t> offsets_;           ///< per block its first unknown, and the first row
  std::size_t rows_ = 0;

  std::vector<JointConstraint> joints_;
  std::vector<Vec3> centers_;
  std::vector<Sym3> inertias_;             ///< about the mass centres, ground axes
  std::vector<std::vector<double>> mass_;  ///< of flexible bodies, (6 + m)², the first six in ground axes
  std::vector<std::vector<double>> massless_;  ///< of flexible bodies, directions without inertia, 6 + m each, body axes
  std::vector<Spatial> coefficients_;      ///< A: per entry its rows, about the body's mass centre
  std::vector<double> own_coefficients_;
  std::vector<double> right_;  ///< per row, of the level last set; position: minus the residual
  double position_violation_ = 0, velocity_violation_ = 0;

  // Flat vectors over the unknowns: six per body and its modes, variables of modules, then one per row.
  std::vector<double> data_, solution_, residual_, step_;
  std::vector<double> direction_, previous_residual_;  ///< of conjugate gradients
  std::vector<Size> sizes_;
  std::vector<double> efforts_;      ///< on the joints, those of constraint elements included
  std::vector<BodyMotion> motions_;  ///< as evaluated: bodies, then nodes
  std::vector<double> eta_, etadot_;
  std::vector<double> states_;       ///< first-order states, where given
  bool states_given_ = false;
  TreeKinematics tree_;  ///< for steps from afar
  std::vector<Quat> orientations_;
  double extent_ = 0;                  ///< distance between bodies, m
  std::vector<double> start_, rates_;  ///< coordinates before such a step, and the step in them
  std::vector<double> start_eta_, eta_step_, start_states_;
  std::vector<double> velocities_;  ///< of joints at rest
  bool factorized_ = false;         ///< the factors are those of the rows, or nearly
  std::unique_ptr<Fine, DeleteFine> fine_;  ///< where masses differ by orders of magnitude
  char failure_[400];
  std::size_t failure_size_ = 0;
};

}  // namespace polyform
