// The rows of constraint elements and modules as rows on frames, in groups that close like the rows of a cut joint.
//
// A marker with A = {a, f} gives its frame the share {a + arm × f, f} (frame_rows.hpp). What a row asks of the
// velocities of a joint, B v, it asks of the two frames of the joint: B v = t · V_FM, where t is the wrench of the
// effort B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/element_groups.hpp"
#include "polyform/solvers/frame_rows.hpp"
#include "polyform/solvers/module_loads.hpp"
#include "polyform/solvers/module_variables.hpp"

namespace polyform {

/// Its results are those for the motions of the last evaluate(). Nothing allocates after construction; ground axes.
class ElementRows {
 public:
  using Group = ElementGroups::Group;
  static constexpr std::size_t none = ElementGroups::none;

  /// origin: the point from which positions of frames count. The view outlives the object.
  ElementRows(const SystemView&, const Vec3& origin);
  bool good() const { return elements_.good() && modules_.good(); }
  bool empty() const { return groups_.all().empty() && modules_.empty(); }
  bool has_modules() const { return !modules_.empty(); }
  const ModuleSet& modules() const { return modules_; }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    elements_.follow(discrete);
    modules_.follow(discrete);
  }

  std::size_t groups() const { return groups_.all().size(); }
  const Group& group(std::size_t g) const { return groups_[g]; }
  /// The frames that a group ties, without ground.
  std::span<const FrameIndex> frames(const Group& g) const { return groups_.frames(g); }

  /// Evaluates at the motions of all frames. q, v: coordinates of all joints; x: first-order states of the system, read
  /// if there are modules.
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                std::span<const double> x) noexcept;
  /// Makes the modules ready for the next solution; evaluate() does so for accelerations.
  void prepare(LoopRightSides::Level level) noexcept {
    if (has_modules()) variables_.prepare(level, asked_, solved_);
  }
  /// The rows as the elements have them.
  const FrameRows& asked() const { return has_modules() ? asked_ : solved_; }
  /// The rows of the present solution: without the parts of variables that other rows of their module give.
  const FrameRows& solved() const { return solved_; }
  const ModuleVariables& variables() const { return variables_; }
  const ModuleLoads& module_loads() const { return module_loads_; }
  /// The given part of the constraint force (ConstraintOutput::effort), and of a module λ_0.
  double effort(const Group& g, std::size_t row) const {
    return g.module == none ? g.of->effort[g.first + row] : variables_.given(g, row);
  }

  // multipliers: per row of all groups.
  /// Finds the rates of the modules' variables (ModuleVariables::complete).
  void complete(std::span<double> multipliers, std::span<const Spatial> accelerations) noexcept {
    variables_.complete(asked_, multipliers, accelerations);
  }
  /// By how much accelerations of all frames' origins, and the rates of the variables, miss the rows of a group.
  double missed_by(const Group&, std::span<const Spatial> accelerations) const noexcept;
  /// Adds the wrenches of the given efforts, and those that modules apply, to those on the frames.
  void add_efforts(std::span<const BodyMotion> frames, std::span<Spatial> wrenches) const noexcept;
  /// Adds the loads of the rows, λ and the given efforts, to the reactions of the joints, on their moving bodies at the
  /// origin of M.
  void add_reactions(std::span<const double> multipliers, std::span<const BodyMotion> frames,
                     std::span<Spatial> reactions) const noexcept;
  /// λ and the given effort of the rows of all constraint elements, or of all modules, as Observation has them.
  void put_constraint_multipliers(std::span<const double> multipliers, std::span<double> out) const noexcept;
  void put_module_multipliers(std::span<const double> multipliers, std::span<double> out) const noexcept;
  /// Power that the rows feed in by the velocities that they ask for, W.
  double driving_power(std::span<const double> multipliers) const noexcept;

 private:
  void add_markers(const Group&, std::size_t row) noexcept;
  void add_joints(const Group&, std::size_t row, std::span<const BodyMotion> frames) noexcept;

  const SystemView& view_;
  ConstraintSet elements_;
  ModuleSet modules_;
  ElementGroups groups_;
  std::vector<JointMotion> motions_;  ///< of the joints of each group
  FrameRows solved_, asked_;          ///< asked_: in use with modules
  ModuleVariables variables_;
  ModuleLoads module_loads_;
};

}  // namespace polyform
