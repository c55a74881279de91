// The constraints of cut joints, constraint elements and, where asked for, modules as rows on the velocities of the tree joints and the modes.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "polyform/constraint_set.hpp"
#include "polyform/kinematics.hpp"

namespace polyform::host {

/// Rows J with J w = velocity right, w = [v of the tree joints; η̇]. A row is a set of wrenches on frames (those of a
/// unit multiplier), kept about the ground origin; its entry for a tree joint is the power of the wrenches outboard of
/// it. A mode of a flexible body moves its nodes in the body and, since the tree joint holds its own node, the body
/// itself the other way: its entry is the power of what acts at each node and outboard of it, less that of all at the
/// tree joint's.
class ConstraintJacobian {
 public:
  struct Entry {
    std::size_t row, column;
    double value;
  };
  struct Row {
    std::vector<std::pair<FrameIndex, Spatial>> wrenches;
    std::size_t cut_joint = none;
    std::string_view name;  ///< of the cut joint or the element
    bool of_element = false, holonomic = true;
    double residual = 0;  ///< position, where holonomic
    double velocity_right = 0;
  };

  /// The view outlives the object.
  explicit ConstraintJacobian(const SystemView&);
  bool good() const { return elements_.good(); }
  /// Rows at a state. Coordinates of cut joints are hints on entry; theirs and their velocities are set.
  void evaluate(double t, const StateView& state);
  /// Adds what the rows of modules ask of markers and joints whatever their variables are, at the evaluated state: the
  /// combinations of a module's rows in which no variable of its own is left. x: first-order states.
  void add_module_rows(double t, const StateView& state);

  // At the evaluated state:
  std::span<const Row> rows() const { return rows_; }
  std::span<const Entry> entries() const { return entries_; }
  const TreeKinematics& tree() const { return tree_; }
  /// Joints through which the multipliers mu (with Jᵀ mu = 0) send a wrench.
  std::vector<char> loaded_joints(std::span<const double> mu) const;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const BodyMotion& motion(FrameIndex f) const { return motion_of(f, tree_.frames()); }
  bool is_node(FrameIndex f) const { return !is_ground(f) && at(f) >= view_.bodies.size(); }
  BodyIndex body_of(FrameIndex f) const {
    return is_node(f) ? view_.nodes[at(f) - view_.bodies.size()].body : body_index(at(f));
  }
  double cut_sign(const Row&, BodyIndex) const;
  void put(Row&, FrameIndex, const Vec3& point, const Spatial& wrench) const;
  void put(Row&, const JointData&, const Spatial& t) const;
  void add_cut_joint(std::size_t index, const StateView& state);
  void add_element_row(const ConstraintSet::Element&, std::size_t r, const StateView& state);
  void put(Row&, const ConstraintSet::Element&, std::size_t r, double factor, const StateView& state);
  void add(Row);
  void enter(std::size_t row, std::size_t joint, const Spatial& wrench);
  void enter_modes(std::size_t row, FrameIndex, const Spatial& wrench, double sign);

  const SystemView& view_;
  TreeKinematics tree_;
  ConstraintSet elements_;
  std::vector<Row> rows_;
  std::vector<Spatial> sums_;
  std::vector<char> marked_;
  std::vector<Entry> entries_;
};

}  // namespace polyform::host
