// The constraints of cut joints, constraint elements and, where asked for, modules as rows on the velocities of the
// tree joints and the modes.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline assembly {

/// Rows J with J w = velocity right, w = [v of the tree joints; η̇]. A row is a set of wrenches on frames (those of a
/// unit multiplier), kept about one point of the system; its entry for a tree joint is the power of the wrenches
/// outboard of it. A mode of a flexible body moves the nodes of the body. Because the tree joint holds one of these
/// nodes, the mode also moves the body itself, the other way. So its entry is the power of what acts at each node and
/// outboard of it, less that of all wrenches at the node of the tree joint.
///
/// It has many functions because one evaluation answers many questions: rows with their names, entries by columns, the
/// residual of each, the sizes by which these are judged. All read what the evaluation left.
class ConstraintJacobian {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Entry {
    std::size_t row, column;
    double value;
    double size = 0;   ///< of the terms whose sum the value is
    double reach = 0;  ///< what the value would be with other directions; its rounding is relative to this
  };
  struct Row {
    Vec3 point;  ///< about which its wrenches are taken; one per row, so that no digits are lost far from it
    std::vector<std::pair<FrameIndex, Spatial>> wrenches;
    /// For what an element does within joints: the joint, and the part of the wrenches that it puts on its outboard
    /// body (of a cut joint: on the moving body, or on base if moving is ground).
    std::vector<std::pair<std::size_t, Spatial>> efforts;
    std::size_t cut_joint = none;
    std::string_view name;       ///< of the cut joint, the element or the module
    const char* kind = "joint";  ///< joint, constraint, module or body
    bool of_element = false, holonomic = true;
    std::size_t element_row = none;  ///< of a constraint element: among the rows of all of them
    double residual = 0;             ///< position, where holonomic
    double velocity_right = 0;
    double by_clock = 0;  ///< what joints that depend on time bring to the left side while all rates are zero
    /// For a row of a module: the rows of all modules whose combination it is, with their factors.
    std::vector<std::pair<std::size_t, double>> module_rows;
  };

  /// Which rows there are.
  enum class Of { loops, positions, motions, all, rates };
  /// loops: rows of cut joints. motions: those of constraint elements too. all: also what rows of modules ask of the
  /// motion for any values of the modules' variables. rates: all but rows on accelerations alone, which ask nothing of
  /// rates. positions: those of all that have a position residual, for any
  /// values of the states of modules that are integrals of variables. absent: per joint, then per constraint element,
  /// whether it is left out; or empty. An absent tree joint leaves its body free: the body's six columns follow those
  /// of the modes. The view outlives the object. origin: what positions of the view count from (CentredView).
  explicit ConstraintJacobian(const SystemView&, Of = Of::motions, std::vector<bool> absent = {},
                              const Vec3& origin = {});
  bool good() const { return elements_.good() && modules_.good(); }
  /// Rows at a state. Coordinates of cut joints are guesses on entry; they and their velocities are set.
  void evaluate(double t, const StateView& state);
  /// After evaluate: one more row per velocity coordinate of a cut joint, its rate; right-hand sides: the rates.
  void add_rates(std::size_t cut_joint, std::span<const double> rates);
  /// After evaluate: rows for the angular velocity of a body against another one, and for the velocity of its origin
  /// against the point of the other one there where the twist is whole; ground axes.
  void add_twist(BodyIndex body, BodyIndex against, const Spatial& twist, bool whole);
  void drop_rates();
  /// After evaluate: the same rows; residuals: how far the joint is from these coordinates.
  void add_coordinates(std::size_t cut_joint, std::span<const double> q);

  // At the evaluated state:
  std::span<const Row> rows() const { return rows_; }
  std::span<const Entry> entries() const { return entries_; }
  const TreeKinematics& tree() const { return tree_; }
  /// Rounding of the positions of joints, relative to the size of the largest body.
  double place_rounding() const { return place_rounding_; }
  std::size_t columns() const { return columns_; }
  /// What a moment and a force compare by: the size of the largest body, m.
  double length() const { return length_; }
  /// The amount of a column that turns a body by 1 rad, or shifts it by length(): what columns of turns and of shifts
  /// compare by.
  double unit(std::size_t column) const { return units_[column]; }
  bool is_absent(std::size_t constraint) const { return !absent_.empty() && absent_[constraint]; }
  /// The size of a sum of wrenches, from its terms.
  struct WrenchSize {
    double moment = 0, force = 0;  ///< N m about the origin of M, N
  };
  /// What the multipliers mu (with Jᵀ mu = 0) send through each joint, up to its sign: what they change of its
  /// reaction, efforts included; about the origin of M, ground axes. sizes: of the terms that are summed.
  void transmit(std::span<const double> mu, std::span<Spatial> through, std::span<WrenchSize> sizes) const;
  /// J w − right of a row, taken from the motions of its frames instead of from the entries.
  double velocity_error(std::size_t row) const;

 private:
  /// A wrench about a point, taken about another one that lies `away` from it.
  static Spatial about(const Vec3& away, const Spatial& w) { return {w.angular - cross(away, w.linear), w.linear}; }
  const BodyMotion& motion(FrameIndex f) const { return motion_of(f, tree_.frames()); }
  bool is_node(FrameIndex f) const { return !is_ground(f) && at(f) >= view_.bodies.size(); }
  BodyIndex body_of(FrameIndex f) const {
    return is_node(f) ? view_.nodes[at(f) - view_.bodies.size()].body : body_index(at(f));
  }
  void add_all(double t, const StateView& state);
  void find_units();
  Vec3 place(const JointData&) const;
  double cut_sign(const Row&, BodyIndex) const;
  void put(Row&, FrameIndex, const Vec3& point, const Spatial& wrench) const;
  void put(Row&, const JointData&, const Spatial& t) const;
  void put_effort(Row&, std::size_t joint, const Spatial& t) const;
  void add_cut_joint(std::size_t index, const StateView& state);
  Row element_row(const ConstraintSet::Element&, std::size_t r, const StateView& state) const;
  void add_module(const ModuleSet::Module&, std::size_t first_row, const StateView& state);
  void add_cut_coordinates(std::size_t cut_joint, std::span<const double> rates, const Spatial& away);
  void add(Row);
  void enter(const Vec3& point, std::size_t row, std::size_t joint, const Spatial& wrench);
  void enter_modes(const Vec3& point, std::size_t row, FrameIndex, const Spatial& wrench, double sign);

  const SystemView& view_;
  std::vector<bool> absent_;
  std::vector<std::size_t> free_columns_;  ///< per tree joint that is absent
  std::size_t columns_;
  double place_rounding_ = 0;
  double length_ = 1;  ///< of the largest body, m: a moment and a force compare by it
  std::vector<double> units_;
  TreeKinematics tree_;
  std::unique_ptr<TreeKinematics> clocked_;  ///< with all rates zero; of a system with joints that depend on time
  Of of_;
  ConstraintSet elements_;
  ModuleSet modules_;
  std::vector<char> on_accelerations_;          ///< rows of all constraint elements: whether on accelerations alone
  std::vector<double> hints_;                   ///< coordinates on entry
  std::size_t own_rows_ = 0, own_entries_ = 0;  ///< without those of rates
  std::vector<Row> rows_;
  std::vector<Spatial> sums_;
  std::vector<char> marked_;
  std::vector<Entry> entries_;
};

}  // namespace polyform::host::assembly
