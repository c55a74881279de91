// The rows of constraint elements and modules as rows on frames, in groups that close like the rows of a cut joint.
//
// With V the twists of the frames' origins (angular velocity, velocity; ground axes) a row of ConstraintOutput is
//
//   Σ share · V = velocity_right,      Σ share · V̇ = acceleration
//
// A marker with A = {a, f} gives its frame the share {a + arm × f, f}. What a row asks of the velocities of a joint, B
// v, it asks of the two frames of the joint: B v = t · V_FM, where t is the wrench of the effort B. For the part of a
// module's variables in its rows see module_rows.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/loop_right_sides.hpp"
#include "polyform/solvers/module_rows.hpp"

namespace polyform {

/// Its results are those for the motions of the last evaluate(). Nothing allocates after construction; ground axes.
///
/// It has many functions and members because a row of an element has many sides: the frames and joints on which it
/// acts, what it asks of each, its given effort, and its form after elimination. All are arrays over the same rows,
/// filled by the same evaluation.
class ElementRows {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// Rows of one element that form one block of the solution.
  struct Group {
    std::size_t element = 0;      ///< among those of the system, modules last
    std::size_t first = 0;        ///< of its rows, among those of the element
    std::size_t rows = 0;
    std::size_t row = 0;          ///< the first among the rows of all groups
    std::size_t frames = 0, frame_count = 0;   ///< of its frames
    std::size_t share = 0;        ///< of rows × frames
    std::size_t slots = 0;        ///< places among its frames of its markers', then of its joints' base and moving
    std::size_t motion = 0;       ///< of its first joint
    bool absolute = false;        ///< it ties ground, or has markers, whose motions against ground count
    unsigned nonholonomic = 0;    ///< rows that ask nothing of positions, a bit each
    std::size_t module = none;    ///< of rows of a module: its number
  };
  /// What a row asks of one frame, read as a wrench about the origin of the frame; and the sizes of its terms, which
  /// may cancel.
  struct Share {
    Spatial row;
    double angular = 0, linear = 0;

    void add(const Spatial& about_origin, double of_angular, double of_linear) {
      row += about_origin;
      angular += of_angular;
      linear += of_linear;
    }
  };

  /// origin: the point from which positions of frames count. The view outlives the object.
  ElementRows(const SystemView&, const Vec3& origin);
  bool good() const { return elements_.good() && set_.good(); }
  bool empty() const { return groups_.empty() && set_.empty(); }
  bool has_modules() const { return !set_.empty(); }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    elements_.follow(discrete);
    set_.follow(discrete);
  }
  const ModuleSet& modules() const { return set_; }

  std::size_t groups() const { return groups_.size(); }
  const Group& group(std::size_t g) const { return groups_[g]; }
  std::string_view name(std::size_t g) const { return of(groups_[g]).name; }
  /// The frames that a group ties, without ground.
  std::span<const FrameIndex> frames(std::size_t g) const {
    return std::span(frames_).subspan(groups_[g].frames, groups_[g].frame_count);
  }

  /// Evaluates at the motions of all frames. q, v: coordinates of all joints; x: first-order states of the system, read
  /// if there are modules.
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                std::span<const double> x) noexcept;
  /// Makes the modules ready for the next solution; evaluate() does so for accelerations. Rows of a module that give
  /// the rates of variables without mass are then subtracted from its other rows: share(), residual(), rate() and
  /// acceleration() are those of the present solution.
  using Level = LoopRightSides::Level;
  void prepare(Level) noexcept;
  Level level() const { return level_; }   ///< of the last prepare()
  /// After prepare(): a module whose variables no mass and no row holds; none if all are held.
  std::string_view unheld() const { return unheld_; }
  /// Rows of a group that are not solved for: they give the rates of variables without mass.
  unsigned given_up(std::size_t g) const;
  const Share& share(std::size_t g, std::size_t row, std::size_t frame) const {
    return shares_[groups_[g].share + row * groups_[g].frame_count + frame];
  }
  double residual(std::size_t g, std::size_t row) const { return rows_[groups_[g].row + row].residual; }
  /// By how much the velocities miss a row.
  double rate(std::size_t g, std::size_t row) const { return rows_[groups_[g].row + row].rate; }
  /// What a row asks of Σ share · V̇.
  double acceleration(std::size_t g, std::size_t row) const { return rows_[groups_[g].row + row].acceleration; }
  /// The given part of the constraint force (ConstraintOutput::effort), and of a module λ_0.
  double effort(std::size_t g, std::size_t row) const {
    const Group& group = groups_[g];
    return group.module == none ? of(group).effort[group.first + row] : rows_of_[group.module].given(group.first + row);
  }
  // The share as the elements gave it, before prepare() changed it.
  const Share& asked_share(std::size_t g, std::size_t row, std::size_t frame) const {
    return (has_modules() ? asked_shares_ : shares_)[groups_[g].share + row * groups_[g].frame_count + frame];
  }
  double asked_residual(std::size_t g, std::size_t row) const { return asked(g, row).residual; }
  double asked_rate(std::size_t g, std::size_t row) const { return asked(g, row).rate; }
  /// The largest residual of the rows of a group; missed_by_velocities the same for velocities.
  double missed_by_positions(std::size_t g) const;
  double missed_by_velocities(std::size_t g) const;
  /// The frames that modules load, without ground.
  std::span<const FrameIndex> loaded_frames() const { return loaded_; }
  /// The part of a row that the variables of a module take, by the multipliers of its rows.
  double own_share(std::size_t g, std::size_t row, std::span<const double> multipliers) const noexcept;
  /// By how much accelerations of all frames' origins, and the rates of the variables, miss the rows of a group.
  double missed_by(std::size_t g, std::span<const Spatial> accelerations) const noexcept;
  /// The rows of a module with its variables; the first of its groups.
  const ModuleRows& rows_of(std::size_t module) const { return rows_of_[module]; }
  std::size_t first_group(std::size_t module) const { return first_group_[module]; }

  // multipliers: per row of all groups.
  /// Adds the wrenches of the given efforts, and those that modules apply, to those on the frames.
  void add_efforts(std::span<const BodyMotion> frames, std::span<Spatial> wrenches) const noexcept;
  /// Adds the loads of the rows, λ and the given efforts, to the reactions of the joints, on their moving bodies at the
  /// origin of M.
  void add_reactions(std::span<const double> multipliers, std::span<const BodyMotion> frames,
                     std::span<Spatial> reactions) const noexcept;
  /// Sets the multipliers of rows that are given up, and finds the rates of the modules' variables, from the
  /// accelerations of all frames' origins or from a step of them.
  void complete(std::span<double> multipliers, std::span<const Spatial> accelerations) noexcept;
  /// λ and the given effort of the rows of all constraint elements, as Observation::constraint_multipliers has them.
  void put_constraint_multipliers(std::span<const double> multipliers, std::span<double> out) const noexcept;
  /// Writes the multipliers of the rows of all modules, which are those of ModuleRows plus λ_0.
  void put_multipliers(std::span<const double> multipliers, std::span<double> out) const noexcept;
  /// Writes the rates of the variables and of the further states of all modules to their places among the first-order
  /// states.
  void put_rates(std::span<double> xdot) const noexcept;
  /// Moves the states that are integrals of a variable (positions), or the variables, by the step.
  void move(std::span<double> x, bool positions) const noexcept;
  /// Power that the rows feed in by the velocities that they ask for, W.
  double driving_power(std::span<const double> multipliers) const noexcept;

 private:
  struct Row {
    double residual = 0, rate = 0, acceleration = 0;
  };
  const Row& asked(std::size_t g, std::size_t row) const {
    return (has_modules() ? asked_ : rows_)[groups_[g].row + row];
  }
  const ConstraintSet::Element& of(const Group& g) const {
    return g.module == none ? elements_.elements()[g.element] : set_.modules()[g.module].rows;
  }
  void add_groups(std::size_t element, std::size_t module);
  void add_modules();
  void evaluate_modules(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                        std::span<const double> v, std::span<const double> x) noexcept;
  template <class Visit>
  void each_effort(const ModuleSet::Module&, const Visit& visit) const noexcept;
  double rate_of_variables(const Group&, std::size_t row, std::span<const double> x) const noexcept;
  void take_from_rows(std::size_t module) noexcept;
  void add_module_loads(const ModuleSet::Module&, std::span<const BodyMotion> frames,
                        std::span<Spatial> wrenches) const noexcept;
  void add_module_reactions(const ModuleSet::Module&, std::span<const BodyMotion> frames,
                            std::span<Spatial> reactions) const noexcept;
  std::size_t slot_of(const Group&, FrameIndex);
  void add_markers(const Group&, std::size_t row) noexcept;
  void add_joints(const Group&, std::size_t row, std::span<const BodyMotion> frames) noexcept;

  const SystemView& view_;
  ConstraintSet elements_;
  ModuleSet set_;
  std::vector<ModuleRows> rows_of_;           ///< per module
  std::vector<std::size_t> first_group_, first_motion_;
  std::vector<Group> groups_;
  std::vector<FrameIndex> frames_;
  std::vector<std::size_t> slots_;
  std::vector<Share> shares_, asked_shares_;  ///< in the present solution; as the elements have them
  std::vector<Row> rows_, asked_;
  std::vector<JointMotion> motions_;          ///< of the joints of each group
  std::vector<JointMotion> module_motions_;   ///< of the joints of each module, one after the other
  std::vector<double> missing_, rounding_;    ///< of the rows of one module
  std::vector<FrameIndex> loaded_;
  Level level_ = Level::acceleration;
  std::string_view unheld_;
};

}  // namespace polyform
