#include "level_view.hpp"

#include <algorithm>

#include "polyform/kinematics.hpp"

namespace polyform::hierarchy {
namespace {

constexpr Primitive free_motion[] = {{Primitive::Kind::translation, {1, 0, 0}},
                                     {Primitive::Kind::translation, {0, 1, 0}},
                                     {Primitive::Kind::translation, {0, 0, 1}},
                                     {Primitive::Kind::ball, {}}};

}  // namespace

LevelView::LevelView(const SystemView& view, std::span<const Tie> ties, std::size_t last_level) : model_(view) {
  whole_ = std::all_of(ties.begin(), ties.end(), [&](const Tie& t) { return t.rows == 0 || t.level <= last_level; });
  if (whole_) return;
  level_ = view;
  add_joints(ties, last_level);
  add_constraints(ties, last_level);
}

void LevelView::add_joints(std::span<const Tie> ties, std::size_t last_level) {
  level_.nq = level_.nv = 0;
  level_joint_.assign(model_.joints.size(), JointIndex::none);
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const bool there = ties[j].rows == 0 || ties[j].level <= last_level;
    if (!there && j >= model_.bodies.size()) continue;
    JointData joint = model_.joints[j];
    if (!there) {
      joint.primitives = free_motion;
      joint.kernel = nullptr;
      joint.parameters = {};
      joint.nq = 7;
      joint.nv = 6;
    }
    joint.q_offset = level_.nq;
    joint.v_offset = level_.nv;
    level_.nq += joint.nq;
    level_.nv += joint.nv;
    level_joint_[j] = joint_index(joints_.size());
    joints_.push_back(joint);
    model_joint_.push_back(j);
    released_.push_back(!there);
    if (j + 1 == model_.bodies.size()) {
      level_.nq_tree = level_.nq;
      level_.nv_tree = level_.nv;
    }
  }
  level_.joints = joints_;
}

void LevelView::add_constraints(std::span<const Tie> ties, std::size_t last_level) {
  std::size_t tie = model_.joints.size();
  for (const ConstraintGroup& from : model_.constraints) {
    Group& group = groups_.emplace_back();
    std::size_t joint = 0;
    for (std::size_t i = 0; i < from.instances.size(); ++i, ++tie) {
      const std::size_t count = from.instances[i].joints.size();
      if (ties[tie].level <= last_level) {
        group.names.push_back(from.names[i]);
        group.instances.push_back(from.instances[i]);
        group.rows.push_back(from.rows[i]);
        for (std::size_t k = 0; k < count; ++k) group.joints.push_back(level_joint_[at(from.joints[joint + k])]);
      }
      joint += count;
    }
    ConstraintGroup view;
    view.type = from.type;
    view.names = group.names;
    view.instances = group.instances;
    view.joints = group.joints;
    view.rows = group.rows;
    if (!group.instances.empty()) constraints_.push_back(view);
  }
  level_.constraints = constraints_;
}

void LevelView::to_level(std::span<const double> model_q, std::span<double> level_q) const noexcept {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    double* q = level_q.data() + joints_[j].q_offset;
    if (released_[j])
      joint_neutral(joints_[j], q);
    else
      std::copy_n(model_q.data() + model_.joints[model_joint_[j]].q_offset, joints_[j].nq, q);
  }
}

void LevelView::from_level(std::span<const double> level_q, std::span<double> model_q) const noexcept {
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (!released_[j])
      std::copy_n(level_q.data() + joints_[j].q_offset, joints_[j].nq,
                  model_q.data() + model_.joints[model_joint_[j]].q_offset);
}

}  // namespace polyform::hierarchy
