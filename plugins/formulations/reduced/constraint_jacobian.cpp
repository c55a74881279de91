// The paths, and Algorithm 1: the semi-analytic Jacobian.
#include "constraint_jacobian.hpp"

#include <algorithm>

namespace polyform::reduced {

ConstraintJacobian::ConstraintJacobian(const SystemView& view, const LoopClosure& loops, const Recursion& recursion)
    : view_(view),
      loops_(loops),
      recursion_(recursion),
      terms_(loops.layout().count()),
      group_one_(loops.layout().all_ends().size()),
      largest_(terms_.size(), 1.0),
      transfers_(view.frames()),
      uses_(view.bodies.size()) {
  for (std::size_t loop = 0; loop < terms_.size(); ++loop) {
    first_block_.push_back(blocks_.size());
    if (rows(loop) > 0) find_paths(loop);  // a free joint constrains nothing
  }
  first_block_.push_back(blocks_.size());
  values_.resize(values_size_);
  order_frames();
}

/// From the frames of a loop to their common ancestor, or to ground.
void ConstraintJacobian::find_paths(std::size_t loop) {
  const LoopLayout& layout = loops_.layout();
  const bool to_ground = layout.is_absolute(loop);
  std::vector<Walk> walks;
  for (std::size_t e = 0; e < layout.ends(loop).size(); ++e) {
    const FrameIndex frame = layout.ends(loop)[e].frame;
    walks.push_back({e, layout.body_of(view_, frame), frame});
  }
  const auto is_earlier = [](const Walk& a, const Walk& b) { return a.body < b.body; };
  while (!walks.empty()) {
    // Parents stand before their children: the last of several bodies is no ancestor of the others.
    const BodyIndex last = std::ranges::max_element(walks, is_earlier)->body;
    if (is_ground(last)) return;
    const bool meet = std::ranges::all_of(walks, [&](const Walk& w) { return w.body == last; });
    if (!meet || to_ground) {
      pass_body(loop, last, walks);
      continue;
    }
    std::vector<Entry> entered;
    for (const Walk& w : walks) entered.push_back({w.end, at(w.frame)});
    const bool apart = std::ranges::any_of(walks, [&](const Walk& w) { return w.frame != walks.front().frame; });
    if (view_.bodies[at(last)].flexible != rigid && apart) add_block(loop, at(last), true, entered);
    return;
  }
}

/// Continues the paths in a body to its parent: by the modes of a flexible body, then by the joint.
void ConstraintJacobian::pass_body(std::size_t loop, BodyIndex body, std::vector<Walk>& walks) {
  const JointData& joint = view_.joints[at(body)];
  const FrameIndex carried = joint.outboard_frame();
  std::vector<Entry> by_modes, by_joint;
  for (Walk& w : walks) {
    if (w.body != body) continue;
    if (w.frame != carried) by_modes.push_back({w.end, at(w.frame)});
    by_joint.push_back({w.end, at(carried)});
    w.frame = joint.inboard_frame();
    w.body = joint.inboard();
  }
  if (view_.bodies[at(body)].flexible != rigid && !by_modes.empty()) add_block(loop, at(body), true, by_modes);
  if (joint.nv > 0) add_block(loop, at(body), false, by_joint);
}

void ConstraintJacobian::add_block(std::size_t loop, std::size_t body, bool modal, const std::vector<Entry>& entered) {
  Block b{body,           modal,       view_.joints[body].v_offset, view_.joints[body].nv, entries_.size(),
          entered.size(), values_size_};
  if (modal) {
    const FlexibleData& data = view_.flexible[view_.bodies[body].flexible];
    b.v = view_.nv_tree + data.mode_offset;
    b.nv = data.modes;
  }
  uses_[body].push_back({blocks_.size(), loop});
  values_size_ += b.nv * rows(loop);
  blocks_.push_back(b);
  entries_.insert(entries_.end(), entered.begin(), entered.end());
}

void ConstraintJacobian::calculate_group_one(std::span<const BodyMotion> frames) noexcept {
  const ClosingConstraints& constraints = loops_.constraints();
  for (std::size_t i = 0; i < loops(); ++i) {
    GroupOne* one = group_one_.data() + loops_.layout().loop(i).first_end;
    if (!constraints.is_cut(i)) {
      const ElementRows::Group& group = constraints.element(i);
      double largest = 0;
      for (std::size_t e = 0; e < loops_.layout().ends(i).size(); ++e) {
        one[e].M = frames[at(loops_.layout().ends(i)[e].frame)].p;
        for (std::size_t r = 0; r < rows(i); ++r) {
          const FrameRows::Share& share = constraints.elements().asked().share(group, r, e);
          one[e].row[r] = share.row;
          largest = std::max({largest, share.angular, share.linear});
        }
      }
      largest_[i] = largest;
      continue;
    }
    const JointData& cut = constraints.cut(i);
    const JointConstraint& c = constraints.joint(i);
    const BodyMotion& moving = motion_of(cut.moving_frame, frames);
    const Mat3& R_F = motion_of(cut.base_frame, frames).R;
    one[0].M = one[1].M = moving.p + moving.R * cut.p_moving;
    for (std::size_t r = 0; r < rows(i); ++r) {
      one[1].row[r] =
          r < c.rows ? Spatial{R_F * c.T[r].angular, R_F * c.T[r].linear} : Spatial{};  // fewer where H loses rank
      one[0].row[r] = -1.0 * one[1].row[r];
    }
  }
}

GroupTwo ConstraintJacobian::group_two(const Block& block, std::size_t frame,
                                       std::span<const BodyMotion> frames) const noexcept {
  if (!block.modal) return {recursion_.hinge_columns(block.body), {}, recursion_.hinge_point(block.body, frames)};
  const FlexibleLinks& flexible = loops_.flexible();
  return {{}, flexible.columns(flexible.attachment_of(frame_index(frame))), frames[frame].p};
}

/// Group I times group II of one path, carried from T to M.
void ConstraintJacobian::add_path(const Block& block, const Entry& entry, const GroupOne& one, std::size_t rows,
                                  std::span<const BodyMotion> frames, double& farthest) noexcept {
  const GroupTwo two = group_two(block, entry.frame, frames);
  const Vec3 r_TM = one.M - two.T;
  farthest = std::max(farthest, size(r_TM));
  double* value = values_.data() + block.first;
  for (std::size_t k = 0; k < two.size(); ++k) {
    const Vec3& turn = two[k].angular;
    const Vec3 of_M = add_cross(two[k].linear, turn, r_TM);  // r̃_TM of Eqs. 18, 35, 37
    for (std::size_t r = 0; r < rows; ++r) *value++ += dot(one.row[r].angular, turn) + dot(one.row[r].linear, of_M);
  }
}

/// Algorithm 1: each secondary joint sweeps its two paths, each element those of its frames.
void ConstraintJacobian::semi_analytic(std::span<const BodyMotion> frames) noexcept {
  calculate_group_one(frames);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (std::size_t loop = 0; loop < loops(); ++loop) {
    const GroupOne* one = group_one_.data() + loops_.layout().loop(loop).first_end;
    double farthest = 0;
    for (const Block& block : blocks(loop))
      for (const Entry& entry : entries(block)) add_path(block, entry, one[entry.end], rows(loop), frames, farthest);
    terms_[loop] = largest_[loop] * (1 + farthest);
  }
}

}  // namespace polyform::reduced
