// The system of one level: the model without the constraints of higher levels, for returning to the constraints that
// are left. A tree joint that is not yet there becomes a free one; cut joints and constraint elements are left out.
#pragma once

#include <deque>
#include <vector>

#include "levels.hpp"

namespace polyform::hierarchy {

class LevelView {
 public:
  /// The view of the whole model outlives the object.
  LevelView(const SystemView&, std::span<const Tie>, std::size_t last_level);
  LevelView(const LevelView&) = delete;

  /// Whether all constraints of the model are there; view() is then that of the model.
  bool whole() const { return whole_; }
  const SystemView& view() const { return whole_ ? model_ : level_; }
  /// Coordinates of the joints that both have, between the canonical orders. Others are neutral, or left as they are.
  void to_level(std::span<const double> model_q, std::span<double> level_q) const noexcept;
  void from_level(std::span<const double> level_q, std::span<double> model_q) const noexcept;

 private:
  void add_joints(std::span<const Tie>, std::size_t last_level);
  void add_constraints(std::span<const Tie>, std::size_t last_level);

  struct Group {
    std::vector<std::string_view> names;
    std::vector<ElementInstance> instances;
    std::vector<JointIndex> joints;
    std::vector<std::size_t> rows;
  };
  const SystemView& model_;
  bool whole_ = true;
  SystemView level_;
  std::vector<JointData> joints_;
  std::vector<std::size_t> model_joint_;  ///< per joint of the level
  std::vector<bool> released_;            ///< per joint of the level: free here
  std::vector<JointIndex> level_joint_;   ///< per joint of the model
  std::deque<Group> groups_;
  std::vector<ConstraintGroup> constraints_;
};

}  // namespace polyform::hierarchy
