// The constraints of what closes the tree, cut joints, constraint elements and rows of modules, at one state.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::thompson {

/// Groups of rows: one per cut joint, then one per constraint element and per module. All results hold for the motions
/// last evaluated. There are many functions because most of them read one number of that evaluation.
class ClosingConstraints {
 public:
  /// origin: the point from which positions count, for the elements.
  ClosingConstraints(const SystemView&, const Vec3& origin);
  bool good() const { return elements_.good() && modules_.good(); }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    elements_.follow(discrete);
    modules_.follow(discrete);
  }
  bool empty() const { return rows_.empty(); }
  /// Whether there is nothing to evaluate.
  bool is_idle() const { return rows_.empty() && modules_.empty(); }
  std::size_t groups() const { return rows_.size(); }
  std::size_t rows(std::size_t group) const { return rows_[group].count; }
  std::size_t first_row(std::size_t group) const { return rows_[group].first; }
  std::string_view name(std::size_t group) const;

  /// Evaluates the constraints at these motions of the tree. q, v: coordinates of all joints; those of the cut joints
  /// hold hints on entry and are set. x: first-order states.
  void evaluate(double t, const TreeKinematics&, std::span<double> q, std::span<double> v,
                std::span<const double> x) noexcept;
  const JointConstraint& cut(std::size_t i) const { return cuts_[i]; }
  /// A constraint element, or a module with its rows on markers and joints and its own part of the rows.
  struct Constraint {
    const ConstraintSet::Element* rows;
    const ModuleSet::Module* module;  ///< nullptr for a constraint element
    std::size_t variable;             ///< number of the module's first variable among those of all modules
  };
  std::span<const Constraint> constraints() const { return constraints_; }
  const ModuleSet& modules() const { return modules_; }
  ModuleSet& modules() { return modules_; }
  /// The motion of a tree joint or of a cut one.
  const JointMotion& motion_of_joint(std::size_t j, const TreeKinematics&) const noexcept;
  /// A V + B v (+ A u) − right of a row of a constraint.
  double rate_of(const Constraint&, std::size_t row, const TreeKinematics&) const noexcept;

  /// Largest residuals (rad, m; per second) of cut joints and elements together, and the name of the one with the
  /// largest.
  double position_violation() const { return position_violation_; }
  double velocity_violation() const { return velocity_violation_; }
  /// The largest residual of velocities of constraint elements and modules.
  double missed_by_elements() const { return missed_by_elements_; }
  std::string_view worst() const { return name(worst_); }
  double speed() const { return speed_; }  ///< largest of the bodies, rad/s or m/s, at least 1
  /// About the residuals that rounding alone leaves.
  double position_rounding() const { return position_rounding_part * size_; }
  double velocity_rounding() const { return velocity_rounding_part * speed_; }
  /// Whether dependent rows can be recognized: their pivots are of the size of the residual.
  bool shows_dependence() const { return position_violation_ < 1e6 * position_rounding(); }

  // Multipliers: of the rows of all groups.
  /// The given part of the elements' forces; false if there is none.
  bool given_multipliers(std::span<double> out) const noexcept;
  /// Adds the loads of the elements' multipliers on joints to the efforts of these.
  void add_efforts(const double* multipliers, std::span<double> efforts) const noexcept;
  /// The multipliers of the constraint elements alone, element after element.
  std::span<const double> of_elements(std::span<const double> multipliers) const noexcept {
    const std::size_t first = cuts_.size() < rows_.size() ? first_row(cuts_.size()) : multipliers.size();
    return multipliers.subspan(first, view_.constraint_rows());
  }
  /// Whether an element asks for a velocity, and the power of all that do, W.
  bool drives() const noexcept;
  double driving_power(const double* multipliers) const noexcept;
  /// Constraint force of a cut joint on its moving body at the origin of M, F axes.
  Spatial wrench(std::size_t cut, const double* multipliers) const noexcept;

 private:
  struct Rows {
    std::size_t first, count;
  };
  void add_rows(std::size_t count);
  void note(double& violation, double found, std::size_t group) noexcept;
  void measure(const TreeKinematics&) noexcept;

  const SystemView& view_;
  ConstraintSet elements_;
  ModuleSet modules_;
  std::vector<Constraint> constraints_;
  std::span<const double> q_;  ///< of all joints, of the last evaluation
  std::span<const double> x_;  ///< first-order states of the last evaluation
  std::vector<JointConstraint> cuts_;
  std::vector<Rows> rows_;  ///< per group
  double position_violation_ = 0, velocity_violation_ = 0, missed_by_elements_ = 0;
  double size_ = 1, speed_ = 1;
  std::size_t worst_ = 0;  ///< its group
};

}  // namespace polyform::thompson
