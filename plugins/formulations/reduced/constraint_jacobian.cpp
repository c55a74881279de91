// The paths, and Algorithm 1: the semi-analytic Jacobian.
#include "constraint_jacobian.hpp"

#include <algorithm>

namespace polyform::reduced {
namespace {

std::size_t place_of(FrameIndex f) { return is_ground(f) ? ConstraintJacobian::none : at(f); }

}  // namespace

ConstraintJacobian::ConstraintJacobian(const SystemView& view, const LoopClosure& loops, const Recursion& recursion)
    : view_(view), loops_(loops), recursion_(recursion), terms_(view.cut_joints().size()),
      group_one_(view.cut_joints().size()), transfers_(view.frames()), uses_(view.bodies.size()) {
  for (const JointData& cut : view.cut_joints()) {
    first_block_.push_back(blocks_.size());
    if (cut.nv < 6) find_paths(cut);  // a free joint ties nothing
  }
  first_block_.push_back(blocks_.size());
  values_.resize(values_size_);
  order_frames();
}

/// From the bodies of the secondary joint to their common ancestor.
void ConstraintJacobian::find_paths(const JointData& cut) {
  BodyIndex base = cut.base, moving = cut.moving;
  FrameIndex base_frame = cut.base_frame, moving_frame = cut.moving_frame;
  while (base != moving) {
    // Parents stand before their children: of two bodies the later one is no ancestor of the other.
    const bool on_base = static_cast<std::int32_t>(base) > static_cast<std::int32_t>(moving);
    BodyIndex& later = on_base ? base : moving;
    FrameIndex& frame = on_base ? base_frame : moving_frame;
    const JointData& joint = view_.joints[at(later)];
    const std::size_t entered = at(frame), carried = at(joint.outboard_frame());
    if (view_.bodies[at(later)].flexible != rigid && entered != carried)
      add_block(at(later), true, on_base ? none : entered, on_base ? entered : none);
    if (joint.nv > 0) add_block(at(later), false, on_base ? none : carried, on_base ? carried : none);
    frame = joint.inboard_frame();
    later = joint.inboard();
  }
  if (!is_ground(base) && view_.bodies[at(base)].flexible != rigid && base_frame != moving_frame)
    add_block(at(base), true, place_of(moving_frame), place_of(base_frame));
}

void ConstraintJacobian::add_block(std::size_t body, bool modal, std::size_t moving, std::size_t base) {
  const std::size_t loop = first_block_.size() - 1;
  Block b{body, modal, view_.joints[body].v_offset, view_.joints[body].nv, moving, base, values_size_};
  if (modal) {
    const FlexibleData& data = view_.flexible[view_.bodies[body].flexible];
    b.v = view_.nv_tree + data.mode_offset;
    b.nv = data.modes;
  }
  uses_[body].push_back({blocks_.size(), loop});
  values_size_ += b.nv * (6 - view_.cut_joints()[loop].nv);
  blocks_.push_back(b);
}

void ConstraintJacobian::calculate_group_one(std::span<const BodyMotion> frames) noexcept {
  for (std::size_t i = 0; i < loops(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const JointConstraint& c = loops_.constraints().joint(i);
    const BodyMotion& moving = motion_of(cut.moving_frame, frames);
    const Mat3& R_F = motion_of(cut.base_frame, frames).R;
    GroupOne& one = group_one_[i];
    one.rows = 6 - cut.nv;
    one.M = moving.p + moving.R * cut.p_moving;
    for (std::size_t r = 0; r < one.rows; ++r)
      one.row[r] =
          r < c.rows ? Spatial{R_F * c.T[r].angular, R_F * c.T[r].linear} : Spatial{};  // fewer where H loses rank
  }
}

GroupTwo ConstraintJacobian::group_two(const Block& block, std::size_t frame,
                                       std::span<const BodyMotion> frames) const noexcept {
  if (!block.modal) return {recursion_.hinge_columns(block.body), {}, recursion_.hinge_point(block.body, frames)};
  const FlexibleLinks& flexible = loops_.flexible();
  return {{}, flexible.columns(flexible.attachment_of(frame_index(frame))), frames[frame].p};
}

/// Group I times group II of one path, carried from T to M.
void ConstraintJacobian::add_path(const Block& block, std::size_t frame, double sign, const GroupOne& one,
                                  std::span<const BodyMotion> frames, double& farthest) noexcept {
  const GroupTwo two = group_two(block, frame, frames);
  const Vec3 r_TM = one.M - two.T;
  farthest = std::max(farthest, size(r_TM));
  double* value = values_.data() + block.first;
  for (std::size_t k = 0; k < two.size(); ++k) {
    const Vec3 turn = sign * two[k].angular;
    const Vec3 of_M = add_cross(sign * two[k].linear, turn, r_TM);  // r̃_TM of Eqs. 18, 35, 37
    for (std::size_t r = 0; r < one.rows; ++r) *value++ += dot(one.row[r].angular, turn) + dot(one.row[r].linear, of_M);
  }
}

/// Algorithm 1: each secondary joint sweeps its two paths.
void ConstraintJacobian::semi_analytic(std::span<const BodyMotion> frames) noexcept {
  calculate_group_one(frames);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t loop = 0; loop < loops(); ++loop) {
    double farthest = 0;
    for (const Block& block : blocks(loop)) {
      if (block.moving != none) add_path(block, block.moving, 1, group_one_[loop], frames, farthest);
      if (block.base != none) add_path(block, block.base, -1, group_one_[loop], frames, farthest);
    }
    terms_[loop] = 1 + farthest;
  }
}

}  // namespace polyform::reduced
