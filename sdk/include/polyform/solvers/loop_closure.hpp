// Closed loops on top of a recursion over the spanning tree: the multipliers of the cut joints.
//
// A recursion from tips to roots passes S and e (transfer.hpp): z_a = S z_b + e. A cut joint puts the unknown wrench T λ
// on its moving body and the opposite on its base. Both travel the same way as columns E,
//
//   z_a = S z_b + e + E λ,        E: wrench per multiplier at the hinge point of the body
//
// along the two paths from the cut joint to the common ancestor of its bodies, and each hinge that they pass adds to the
// compliance G of the loops. At the ancestor a loop is complete: with z_b there, λ obeys
//
//   G λ = g + Eᵀ z_b              the constraint of the cut joint, Tᵀ (A_FM − Ḣ v) = 0
//
// and is condensed into S and e of the ancestor (and into the loops that share hinges with this one and close further
// in). Nothing of a closed loop travels on, so that the cost is linear in the bodies as long as loops are local, for any
// number of them, and linear in the length of one long loop. A loop costs with the cube of the number of loops that pass
// one of its hinges at the same time.
//
// G is positive semidefinite. Rows that depend on others (planar loops in space, overconstrained mechanisms, a singular
// position) meet a vanishing pivot and are left out: the motion is the same without them, and their multipliers are zero.
// Which they are shows only where the constraints hold: a stage of an integrator lies beside them, dependent rows get
// small pivots of their own there, and what they ask contradicts the others. So they are found when positions (close to
// the loops) and velocities are corrected, and told for accelerations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/flexible_links.hpp"
#include "polyform/solvers/multiplier_matrix.hpp"
#include "polyform/mechanics/scale.hpp"
#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/transfer.hpp"

namespace polyform {

/// One object per thread; nothing allocates after construction. All vectors in ground axes.
///
/// An evaluation: evaluate, begin, then the recursion from tips to roots (gather each body that carries columns, pass its
/// hinge, step to the parent), then close_ground, then from roots to tips (rate of each direction of a hinge, close).
class LoopClosure {
 public:
  /// What the constraints are solved for.
  enum class Level {
    position,     ///< a step that removes the residual of evaluate
    velocity,     ///< a change of velocities that removes Tᵀ V_FM
    acceleration, ///< accelerations
    rest          ///< what set_rest() asks for beyond accelerations that were found
  };

  /// The view and the flexible bodies outlive the object.
  LoopClosure(const SystemView& view, FlexibleLinks& flexible);
  FlexibleLinks& flexible() const { return flexible_; }

  bool empty() const { return loops_.empty(); }
  /// Whether columns of some loop pass the hinge of this body, or end in it.
  bool carries(std::size_t body) const { return !loops_.empty() && passages_of_[body].count > 0; }
  /// Frames that a cut joint ties.
  std::span<const FrameIndex> tied_frames() const { return tied_; }

  /// Constraints of all cut joints at these motions of the frames. q: coordinates of all joints (canonical order),
  /// of which those of the cut joints hold hints on entry and are set; v: those of the cut joints are set.
  void evaluate(std::span<const BodyMotion> frames, std::span<double> q, std::span<double> v) noexcept;
  double position_violation() const { return position_violation_; }  ///< largest residual, rad or m
  double velocity_violation() const { return velocity_violation_; }  ///< largest of Tᵀ V_FM, rad/s or m/s
  double speed() const { return speed_; }   ///< largest of the tied frames, rad/s or m/s, at least 1
  /// What rounding alone leaves of them, about.
  double position_rounding() const { return position_rounding_part * size_; }
  double velocity_rounding() const { return velocity_rounding_part * speed_; }
  /// Rows of the i-th cut joint that are left out because they depend on others, a bit each.
  unsigned left_out(std::size_t i) const { return left_out_[i]; }
  void leave_out(std::size_t i, unsigned rows) { left_out_[i] = rows; }
  /// Whether the loops are so nearly closed that dependent rows show: their pivots are of the square of the residual.
  bool shows_dependence() const { return position_violation_ < 1e-8 * size_; }
  /// Lets the accelerations pull the constraints back (Baumgarte): c̈ = −2 α ċ − β² c; 1/s.
  void stabilize(double alpha, double beta) {
    alpha_ = alpha;
    beta_ = beta;
  }
  /// Place of the cut joint with the largest residual, of those last looked at, among the joints of the view.
  std::size_t worst_joint() const { return worst_; }

  // Where the masses on the loops differ by orders of magnitude, a row that only heavy bodies can give way to has a pivot as
  // small as one that depends on others. Which rows are independent is then told by the directions of the hinges alone,
  // before begin(): begin_judging, pass_evenly of each body that carries columns from tips to roots, judge.
  bool is_uneven() const { return uneven_; }
  void begin_judging(Level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P) noexcept;
  /// r: from the parent's hinge point.
  void pass_evenly(std::size_t body, std::span<const Column<double>> hinge, const Vec3& r) noexcept;
  void judge() noexcept;

  /// Starts columns and right-hand sides. frames: as evaluated; to_P: of the tied frames of rigid bodies, from the origin
  /// to the point about which the recursion holds wrenches. ground: acceleration given to ground (minus gravity, or zero).
  void begin(Level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P, const Vec3& ground) noexcept;

  // What is left of the constraints at accelerations that were found, and multipliers that are found in steps.
  /// The right-hand side of a row as of the last begin(Level::acceleration): of the accelerations of the frames' origins
  /// without those that the bodies' turning gives them over P.
  double asked(std::size_t i, std::size_t row) const { return asked_[loops_[i].first_row + row]; }
  void set_rest(std::size_t i, std::size_t row, double value) { rest_[loops_[i].first_row + row] = value; }
  /// Calls share(frame, row about the frame's origin) for the frames of rigid bodies that a row ties.
  template <class Share>
  void each_share(std::size_t i, std::size_t row, std::span<const BodyMotion> frames, const Share& share) const noexcept {
    const JointData& cut = view_.cut_joints()[i];
    const ConstraintRow shares = constraint_row(cut, motion_of(cut.base_frame, frames), motion_of(cut.moving_frame, frames),
                                                constraints_[i].T[row]);
    if (!is_ground(cut.base_frame)) share(cut.base_frame, shares.base);
    if (!is_ground(cut.moving_frame)) share(cut.moving_frame, shares.moving);
  }
  std::size_t count() const { return loops_.size(); }
  std::span<const double> multipliers(std::size_t i) const {
    return std::span(lambda_).subspan(loops_[i].first_row, constraints_[i].rows);
  }
  void keep_multipliers() noexcept { kept_lambda_ = lambda_; }
  void restore_multipliers() noexcept { lambda_ = kept_lambda_; }
  void add_kept_multipliers() noexcept {
    for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] += kept_lambda_[k];
  }

  // From tips to roots, for bodies that carry columns.
  /// Passes the modes of a flexible body, after FlexibleLinks::condense, before gather.
  void pass_modes(std::size_t body, std::size_t element) noexcept;
  /// Condenses the loops that close in this body. s: of the body with all its children.
  void gather(std::size_t body, Transfer<double>& s) noexcept;
  /// Passes the hinge with its eliminated directions; beta: its acceleration at v̇ = 0.
  void pass(std::size_t body, std::span<const Column<double>> hinge, const Spatial& beta) noexcept;
  /// From the hinge point to the parent's, from which it lies at r; gamma = ω̃ω̃ r of the parent. attachment: the frame of
  /// a flexible parent at whose origin that point is, or none.
  void step(std::size_t body, const Vec3& r, const Vec3& gamma, std::size_t attachment) noexcept;

  // From roots to tips.
  /// Multipliers of the loops that close in ground.
  void close_ground() noexcept;
  /// What the multipliers take from the rate of direction k of the hinge.
  double rate(std::size_t body, std::size_t k) const noexcept;
  /// The same of direction k of the modes of a flexible body.
  double mode_rate(std::size_t body, std::size_t k) const noexcept;
  /// Multipliers of the loops that close in the body, whose accelerations at its hinge point are z.
  void close(std::size_t body, const Spatial& z) noexcept;

  // After that:
  /// Whether the system is near a singular position: what is left of a residual counts for many times its size.
  bool is_nearly_singular() const { return (uneven_ ? smallest_pivot_ : matrix_.smallest_pivot()) < 1e-3; }
  /// Part of the multipliers in the wrench of a tree hinge on its outboard body, at the hinge point: E λ.
  Spatial hinge_wrench(std::size_t body) const noexcept;
  /// Constraint force of the i-th cut joint on its moving body at the origin of M: T λ. base: motion of its base body.
  Spatial reaction(std::size_t i, const BodyMotion& base) const noexcept;
  /// d/dt of the velocity coordinates of the cut joints, into their places in canonical order. frames: as evaluated;
  /// accelerations: of their origins. Returns the largest of Tᵀ (A_FM − Ḣ v), which is left where a row that depends on
  /// others contradicts them, relative to the accelerations that act or could; worst_joint() tells where.
  double joint_accelerations(std::span<const BodyMotion> frames, std::span<const Spatial> accelerations,
                             std::span<double> vdot) noexcept;
  /// Motion of the i-th cut joint as evaluated.
  const JointConstraint& joint(std::size_t i) const { return constraints_[i]; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// A column of E, sizes of the terms that it is made of (they may cancel), and the moment that it would have if its force
  /// were across the last arm: what it is, or its size in another position.
  struct Column6 {
    Spatial E;
    double angular = 0, linear = 0, reach = 0;

    void add(const Spatial& e, double of_angular, double of_linear) {
      E += e;
      angular += of_angular;
      linear += of_linear;
    }
  };
  /// A cut joint.
  struct Loop {
    std::size_t rows = 0, first_row = 0;
    std::size_t base = none, moving = none;   ///< passages at its bodies; none at ground
  };
  /// A loop in a body on one of its paths.
  struct Passage {
    std::size_t loop, rows, first_row;
    std::size_t first;           ///< of its columns, in columns_
    std::size_t gain;            ///< first of directions × rows, in gains_
    std::size_t next;            ///< passage in the parent; none when that is ground
    std::size_t modal = none;    ///< of modes × rows, in modal_, in a flexible body
  };
  /// Passages of a body in the order of elimination: those that close in it stand first.
  struct PassagesOf {
    std::size_t first = 0, count = 0, closing = 0;
    std::size_t pair = 0;        ///< blocks of G for pairs of passing ones, in pairs_
    std::size_t modal_pair = 0;  ///< of a flexible body: of all, closing ones too
  };

  // loop_closure_layout.cpp
  void find_paths(std::vector<std::vector<std::size_t>>& loops_in, std::vector<std::size_t>& stages) const;
  void order_elimination(const std::vector<std::vector<std::size_t>>& loops_in, const std::vector<std::size_t>& stages);
  void lay_out(const std::vector<std::vector<std::size_t>>& loops_in, const std::vector<std::size_t>& stages);

  void find_uneven();
  void start_columns(std::size_t loop, std::span<const BodyMotion> frames, std::span<const Vec3> to_P) noexcept;
  void clear() noexcept;
  void eliminate(std::size_t loop) noexcept;
  void start_column(std::size_t loop, std::size_t row, std::size_t passage, FrameIndex frame, const Spatial& about_origin,
                    double lever, std::span<const Vec3> to_P) noexcept;
  void to_flexible(const Passage& passage, std::size_t row, std::size_t attachment, const Column6& at_frame) noexcept;
  void condense(const Passage& closing, std::size_t body, Transfer<double>& s) noexcept;
  void add_compliance(std::span<const Passage> passages, const std::size_t* pair, std::size_t direction, double D,
                      bool modal) noexcept;
  std::span<const Passage> all_in(std::size_t body) const noexcept;
  std::span<const Passage> passing(std::size_t body) const noexcept;

  const SystemView& view_;
  FlexibleLinks& flexible_;
  Yardstick yardstick_;
  std::vector<Loop> loops_;               ///< per cut joint
  std::vector<FrameIndex> tied_;
  std::vector<PassagesOf> passages_of_;   ///< per body
  std::vector<Passage> passages_;
  std::vector<std::size_t> pairs_, modal_pairs_;
  std::vector<std::size_t> in_ground_;    ///< loops that close in ground, in the order of elimination
  MultiplierMatrix matrix_;

  std::vector<JointConstraint> constraints_;   ///< per cut joint
  std::vector<Column6> columns_;          ///< E of the passages; of closing ones L⁻¹ Eᵀ after gather
  std::vector<Column6> through_;          ///< columns of one body on the way through its hinge
  std::vector<double> gains_;             ///< D⁻¹ Hᵀ E
  std::vector<double> modal_;             ///< modal forces of unit multipliers, then D⁻¹ of them
  std::vector<double> modal_terms_;       ///< sizes of the terms that the modal forces are made of: they may cancel
  std::vector<unsigned> left_out_;        ///< per cut joint
  bool uneven_ = false;
  std::vector<unsigned> dependent_, independent_;  ///< per cut joint, as judged: rows to be left out, and rows to be kept
  double smallest_pivot_ = 1;             ///< as judged
  std::vector<double> lambda_, kept_lambda_;
  std::vector<double> asked_, rest_;      ///< per row of all loops
  Vec3 ground_;
  double position_violation_ = 0, velocity_violation_ = 0;
  double size_ = 1, speed_ = 1;                ///< of the tied bodies: distance from the origin, velocities
  std::size_t worst_ = 0;
  double alpha_ = 0, beta_ = 0;
};

}  // namespace polyform
