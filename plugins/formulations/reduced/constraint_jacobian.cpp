// The paths, and Algorithm 1: the semi-analytic Jacobian.
#include "constraint_jacobian.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::reduced {

ConstraintJacobian::ConstraintJacobian(const SystemView& view, const LoopClosure& loops, const Recursion& recursion)
    : view_(view), loops_(loops), recursion_(recursion), terms_(view.cut_joints().size()),
      group_one_(view.cut_joints().size()), transfers_(view.bodies.size()), subtree_end_(view.bodies.size()) {
  std::size_t values = 0;
  for (const JointData& cut : view.cut_joints()) {
    first_block_.push_back(blocks_.size());
    if (cut.nv == 6) continue;  // a free joint ties nothing
    BodyIndex base = cut.base, moving = cut.moving;
    while (base != moving) {
      // Parents stand before their children: of two bodies the later one is no ancestor of the other.
      const bool on_base = static_cast<std::int32_t>(base) > static_cast<std::int32_t>(moving);
      BodyIndex& later = on_base ? base : moving;
      const JointData& joint = view.joints[at(later)];
      blocks_.push_back({at(later), joint.v_offset, joint.nv, on_base, values});
      values += joint.nv * (6 - cut.nv);
      later = joint.inboard();
    }
  }
  first_block_.push_back(blocks_.size());
  values_.resize(values);

  std::vector<std::vector<Use>> uses(view.bodies.size());
  for (std::size_t loop = 0; loop < this->loops(); ++loop)
    for (std::size_t b = first_block_[loop]; b < first_block_[loop + 1]; ++b) uses[blocks_[b].body].push_back({b, loop});
  for (const std::vector<Use>& of_body : uses) {
    first_use_.push_back(uses_.size());
    uses_.insert(uses_.end(), of_body.begin(), of_body.end());
  }
  first_use_.push_back(uses_.size());
  for (std::size_t i = view.bodies.size(); i-- > 0;) {
    subtree_end_[i] = std::max(subtree_end_[i], i + 1);
    const BodyIndex parent = view.joints[i].inboard();
    if (!is_ground(parent)) subtree_end_[at(parent)] = std::max(subtree_end_[at(parent)], subtree_end_[i]);
  }
}

void ConstraintJacobian::calculate_group_one(std::span<const BodyMotion> bodies) noexcept {
  for (std::size_t i = 0; i < loops(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const JointConstraint& c = loops_.joint(i);
    const BodyMotion& moving = motion_of(cut.moving, bodies);
    const Mat3& R_F = motion_of(cut.base, bodies).R;
    GroupOne& one = group_one_[i];
    one.rows = 6 - cut.nv;
    for (Spatial& row : one.row) row = {};  // where H loses rank, rows stay empty
    one.M = moving.p + moving.R * cut.p_moving;
    for (std::size_t r = 0; r < c.rows; ++r) one.row[r] = {R_F * c.T[r].angular, R_F * c.T[r].linear};
  }
}

GroupTwo ConstraintJacobian::group_two(std::size_t body, std::span<const BodyMotion> bodies) const noexcept {
  return {recursion_.hinge_columns(body), recursion_.hinge_point(body, bodies)};
}

/// Algorithm 1: each secondary joint sweeps its two paths.
void ConstraintJacobian::semi_analytic(std::span<const BodyMotion> bodies) noexcept {
  calculate_group_one(bodies);
  for (std::size_t loop = 0; loop < loops(); ++loop) {
    const GroupOne& one = group_one_[loop];
    double farthest = 0;
    for (const Block& block : blocks(loop)) {
      const GroupTwo two = group_two(block.body, bodies);
      const Vec3 r_TM = one.M - two.T;
      farthest = std::max(farthest, std::abs(r_TM.x) + std::abs(r_TM.y) + std::abs(r_TM.z));
      double* value = values_.data() + block.first;
      for (const Column<double>& direction : two.directions) {
        const Vec3 turn = block.base ? -direction.H.angular : direction.H.angular;
        const Vec3 slide = block.base ? -direction.H.linear : direction.H.linear;
        const Vec3 of_M = add_cross(slide, turn, r_TM);  // r̃_TM of Eqs. 18, 35, 37
        for (std::size_t r = 0; r < one.rows; ++r) *value++ = dot(one.row[r].angular, turn) + dot(one.row[r].linear, of_M);
      }
    }
    terms_[loop] = 1 + farthest;
  }
}

}  // namespace polyform::reduced
