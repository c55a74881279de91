// The rows of constraint elements as rows on frames, in groups that close like the rows of a cut joint.
//
// With V the twists of the frames' origins (angular velocity, velocity; ground axes) a row of ConstraintOutput is
//
//   Σ share · V = velocity_right,      Σ share · V̇ = acceleration
//
// A marker with A = {a, f} gives its frame the share {a + arm × f, f}. What a row asks of the velocities of a joint,
// B v, it asks of the two frames that the joint ties: B v = t · V_FM, where t is the wrench of the effort B.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

/// Stands for the motions that evaluate() was given last. Nothing allocates after construction; ground axes.
class ElementRows {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// Rows of one element that are solved for together.
  struct Group {
    std::size_t element = 0;      ///< among those of the system
    std::size_t first = 0;        ///< of its rows, among those of the element
    std::size_t rows = 0;
    std::size_t row = 0;          ///< the first among the rows of all groups
    std::size_t frames = 0, frame_count = 0;   ///< of its frames
    std::size_t share = 0;        ///< of rows × frames
    std::size_t slots = 0;        ///< places among its frames of its markers', then of its joints' base and moving
    std::size_t motion = 0;       ///< of its first joint
    bool absolute = false;        ///< it ties ground, or has markers, whose motions against ground count
    unsigned nonholonomic = 0;    ///< rows that ask nothing of positions, a bit each
  };
  /// What a row asks of one frame, read as a wrench about the origin of the frame; and the sizes of the terms that it
  /// is made of, which may cancel.
  struct Share {
    Spatial row;
    double angular = 0, linear = 0;

    void add(const Spatial& about_origin, double of_angular, double of_linear) {
      row += about_origin;
      angular += of_angular;
      linear += of_linear;
    }
  };

  /// origin: what positions of frames count from. The view outlives the object.
  ElementRows(const SystemView&, const Vec3& origin);
  bool good() const { return elements_.good(); }
  bool empty() const { return groups_.empty(); }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { elements_.follow(discrete); }

  std::size_t groups() const { return groups_.size(); }
  const Group& group(std::size_t g) const { return groups_[g]; }
  std::string_view name(std::size_t g) const { return of(groups_[g]).name; }
  /// The frames that a group ties, without ground.
  std::span<const FrameIndex> frames(std::size_t g) const {
    return std::span(frames_).subspan(groups_[g].frames, groups_[g].frame_count);
  }

  /// At the motions of all frames. q, v: coordinates of all joints.
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                std::span<const double> v) noexcept;
  const Share& share(std::size_t g, std::size_t row, std::size_t frame) const {
    return shares_[groups_[g].share + row * groups_[g].frame_count + frame];
  }
  double residual(std::size_t g, std::size_t row) const { return rows_[groups_[g].row + row].residual; }
  /// What the velocities miss of a row.
  double rate(std::size_t g, std::size_t row) const { return rows_[groups_[g].row + row].rate; }
  /// What a row asks of Σ share · V̇.
  double acceleration(std::size_t g, std::size_t row) const { return rows_[groups_[g].row + row].acceleration; }
  /// The given part of the constraint force (ConstraintOutput::effort).
  double effort(std::size_t g, std::size_t row) const { return of(groups_[g]).effort[groups_[g].first + row]; }

  // multipliers: per row of all groups.
  /// Adds the wrenches of the given efforts to those on the frames.
  void add_efforts(std::span<Spatial> wrenches) const noexcept;
  /// Adds to the reactions of the joints, on their moving bodies at the origin of M, what the rows do to them: λ and
  /// the given efforts.
  void add_reactions(std::span<const double> multipliers, std::span<const BodyMotion> frames,
                     std::span<Spatial> reactions) const noexcept;
  /// Power that the rows feed in by the velocities that they ask for, W.
  double driving_power(std::span<const double> multipliers) const noexcept;

 private:
  struct Row {
    double residual = 0, rate = 0, acceleration = 0;
  };
  const ConstraintSet::Element& of(const Group& g) const { return elements_.elements()[g.element]; }
  void add_groups(std::size_t element);
  std::size_t slot_of(const Group&, FrameIndex);
  void add_markers(const Group&, std::size_t row) noexcept;
  void add_joints(const Group&, std::size_t row, std::span<const BodyMotion> frames) noexcept;

  const SystemView& view_;
  ConstraintSet elements_;
  std::vector<Group> groups_;
  std::vector<FrameIndex> frames_;
  std::vector<std::size_t> slots_;
  std::vector<Share> shares_;
  std::vector<Row> rows_;
  std::vector<JointMotion> motions_;   ///< of the joints of each group
};

}  // namespace polyform
