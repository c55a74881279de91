// What the tree leaves open: the rows of cut joints and constraint elements, on the bodies and on q̇2.
#pragma once

#include <span>
#include <vector>

#include "h2.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/rows_left_out.hpp"
#include "second_reduction.hpp"

namespace polyform::thompson {

/// Φ_q of one group per cut joint, then per constraint element; J = Φ_q H2 goes to a SecondReduction.
class ClosingRows {
 public:
  enum class Level { position, velocity, acceleration };

  /// origin: what positions count from, for the elements.
  ClosingRows(const SystemView&, const H2&, SecondReduction&, const Vec3& origin);
  bool good() const { return elements_.good(); }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { elements_.follow(discrete); }
  bool empty() const { return groups_.empty(); }
  std::size_t groups() const { return groups_.size(); }
  /// Adds the groups, cut joints and then elements, to those that rows can be left out of.
  void add_groups(RowsLeftOut& left_out) const {
    for (const JointData& cut : view_.cut_joints()) left_out.add(cut.name, 6 - cut.nv);
    for (const ConstraintSet::Element& e : elements_.elements()) left_out.add(e.name, e.rows);
  }

  /// Constraints of the cut joints and elements at these motions of the tree. q, v: coordinates of all joints; those of
  /// the cut ones hold hints on entry and are set.
  void evaluate(double t, const TreeKinematics& tree, std::span<double> q, std::span<double> v) noexcept;
  const JointConstraint& cut(std::size_t i) const { return cuts_[i]; }
  /// With H2 at the same motions: Φ_q, J and the right-hand sides of J q̇2: what removes the residuals of evaluate, or
  /// at the level of accelerations what the bodies' own Ḣ2 q̇2 (all of (1 − T)⁻¹ γ) leave over.
  void set(Level, const TreeKinematics& tree, const BodyVectors& gamma) noexcept;
  const double* right() const { return right_.data(); }

  /// Largest residuals (rad, m; per second), cut joints and elements together, and the name of what has the largest.
  double position_violation() const { return position_violation_; }
  double velocity_violation() const { return velocity_violation_; }
  std::string_view worst() const;
  double speed() const { return speed_; }  ///< largest of the bodies, rad/s or m/s, at least 1
  /// What rounding alone leaves of them, about.
  double position_rounding() const { return position_rounding_part * size_; }
  double velocity_rounding() const { return velocity_rounding_part * speed_; }
  /// After set(Level::acceleration): what rows that were left out are off by at u̇, relative to the largest acceleration
  /// that rows ask for, or that acts; worst() names the joint or element.
  double contradiction(const double* udot, double acting) noexcept;

  /// forces += Σ Φ_qᵀ multipliers, of all rows.
  void add_forces(const double* multipliers, std::span<Vector6> forces) const noexcept;
  /// The given part of the elements' forces, as multipliers of all rows; false where there is none.
  bool given_multipliers(std::span<double> out) const noexcept;
  /// What multipliers of elements do to joints, added to their efforts.
  void add_efforts(const double* multipliers, std::span<double> efforts) const noexcept;
  /// Whether an element asks for a velocity at the motions evaluated, and the power of all that do, W.
  bool drives() const noexcept;
  double driving_power(const double* multipliers) const noexcept;
  /// Constraint force of a cut joint on its moving body at the origin of M, F axes.
  Spatial wrench(std::size_t cut, const double* multipliers) const noexcept;

 private:
  /// A body on the paths of a group, and the place of its inboard body in the same group.
  struct Station {
    std::size_t body, inboard, first_column;
  };
  /// A body that the rows act on. The common ancestor of a joint's bodies, which its rows do not move, is no station.
  struct End {
    std::size_t body, station;
  };
  struct Group {
    std::size_t rows = 0, first_row = 0;
    std::vector<Station> stations;  ///< in the order of the bodies
    std::vector<End> ends;
    std::size_t first_end = 0;  ///< rows × ends, in ends_
  };

  static constexpr std::size_t none = H2::none;
  void add_path(std::vector<unsigned char>& on_path, BodyIndex from, BodyIndex to) const;
  void add_joint_path(std::vector<unsigned char>& on_path, const JointData&) const;
  void add_group(std::size_t rows, std::vector<unsigned char>& on_path, std::span<const BodyIndex> ends);
  std::string_view name_of(std::size_t group) const;
  void add_wrench(const Group&, std::size_t row, FrameIndex, const Spatial& about_origin,
                  std::span<const BodyMotion>) noexcept;
  void add_joint(const Group&, std::size_t row, const JointData&, const Spatial& t,
                 std::span<const BodyMotion>) noexcept;
  void set_cut(std::size_t cut, Level, std::span<const BodyMotion>) noexcept;
  void set_element(std::size_t element, Level, const TreeKinematics&) noexcept;
  Spatial velocity_terms(FrameIndex, std::span<const BodyMotion>) const noexcept;
  Spatial velocity_terms_of(const JointData&, std::span<const BodyMotion>) const noexcept;
  const JointMotion& motion_of_joint(JointIndex, const TreeKinematics&) const noexcept;
  void note(double& violation, double found, std::size_t group) noexcept;
  void measure(const TreeKinematics&) noexcept;
  void sweep(std::size_t group, std::size_t row) noexcept;
  double rate_of(const ConstraintSet::Element&, std::size_t row, const TreeKinematics&) const noexcept;

  const SystemView& view_;
  const H2& h2_;
  SecondReduction& reduction_;
  ConstraintSet elements_;
  std::vector<JointConstraint> cuts_;
  std::vector<Group> groups_;
  std::vector<Vector6> ends_;  ///< Φ_q: a row's share of a body, as a generalized force
  /// Of a row on its way to the roots: largest force and moment so far.
  struct Size {
    double linear = 0, angular = 0;
  };
  std::vector<Vector6> carried_;  ///< one row at each station
  std::vector<Size> sizes_;
  std::vector<double> right_;
  double position_violation_ = 0, velocity_violation_ = 0;
  double size_ = 1, speed_ = 1;
  std::size_t worst_ = 0;  ///< group
};

}  // namespace polyform::thompson
