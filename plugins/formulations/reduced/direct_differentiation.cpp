// Algorithm 2: the Jacobian by direct differentiation, coordinate after coordinate from the root to the tips (Eqs. 47,
// 48). It is there to be compared with: its cost grows with the square of the number of bodies in a chain.
#include <algorithm>

#include "constraint_jacobian.hpp"

namespace polyform::reduced {

/// Frames in the order in which they are placed, and what each is placed from.
void ConstraintJacobian::order_frames() {
  const FlexibleLinks& flexible = loops_.flexible();
  ranges_.resize(view_.bodies.size());
  place_.resize(view_.frames());
  for (std::size_t b = 0; b < view_.bodies.size(); ++b) {
    const JointData& joint = view_.joints[b];
    const std::size_t carried = at(joint.outboard_frame());
    ranges_[b].start = order_.size();
    order_.push_back(carried);
    transfers_[carried].from = is_ground(joint.inboard_frame()) ? none : at(joint.inboard_frame());
    if (const std::size_t element = flexible.element_of(b); element != FlexibleLinks::none)
      for (std::size_t a = flexible.element(element).first; a < flexible.element(element).end; ++a) {
        const std::size_t node = flexible.attachment(a).node;
        const std::size_t frame = node == FlexibleLinks::none ? b : view_.bodies.size() + node;
        if (frame == carried) continue;
        order_.push_back(frame);
        transfers_[frame].from = carried;
      }
    ranges_[b].own_end = ranges_[b].end = order_.size();
  }
  for (std::size_t b = view_.bodies.size(); b-- > 0;)
    if (const BodyIndex parent = view_.joints[b].inboard(); !is_ground(parent))
      ranges_[at(parent)].end = std::max(ranges_[at(parent)].end, ranges_[b].end);
  for (std::size_t k = 0; k < order_.size(); ++k) place_[order_[k]] = k;
}

/// ∂r/∂q and ∂A/∂q of all frames outboard of a joint by its k-th coordinate, or of a flexible body by its k-th mode.
void ConstraintJacobian::differentiate(const Block& block, std::size_t k, std::span<const BodyMotion> frames) noexcept {
  const auto set = [&](std::size_t frame) {
    const GroupTwo two = group_two(block, frame, frames);
    const Spatial& H = two[k];
    transfers_[frame].A_q = skew(H.angular) * frames[frame].R;
    transfers_[frame].r_q = add_cross(H.linear, H.angular, frames[frame].p - two.T);
  };
  const Range& range = ranges_[block.body];
  std::size_t next = range.start;
  for (const std::size_t own = block.modal ? range.own_end : next + 1; next < own; ++next) set(order_[next]);
  for (; next < range.end; ++next) {
    Transfer& transfer = transfers_[order_[next]];
    const Transfer& from = transfers_[transfer.from];
    transfer.A_q = from.A_q * transfer.A;
    transfer.r_q = add_product(from.r_q, from.A_q, transfer.l);
  }
}

/// Twist at M of a frame by the derivatives that stand; zero if it is not outboard of the body whose coordinate it
/// is.
Spatial ConstraintJacobian::derivative_at(FrameIndex frame, std::size_t body, const Vec3& M,
                                          std::span<const BodyMotion> frames) const noexcept {
  const Range& range = ranges_[body];
  if (is_ground(frame) || place_[at(frame)] < range.start || place_[at(frame)] >= range.end) return {};
  const BodyMotion& motion = frames[at(frame)];
  const Transfer& transfer = transfers_[at(frame)];
  const Mat3 turn = times_transpose(transfer.A_q, motion.R);  // skew
  const Vec3 omega{turn(2, 1), turn(0, 2), turn(1, 0)};
  return {omega, add_product(transfer.r_q, transfer.A_q, transpose_times(motion.R, M - motion.p))};
}

void ConstraintJacobian::direct_differentiation(std::span<const BodyMotion> frames) noexcept {
  calculate_group_one(frames);
  for (const std::size_t frame : order_) {
    Transfer& transfer = transfers_[frame];
    const BodyMotion& from = transfer.from == none ? detail::ground_motion : frames[transfer.from];
    transfer.A = transpose_times(from.R, frames[frame].R);
    transfer.l = transpose_times(from.R, frames[frame].p - from.p);
  }
  std::fill(terms_.begin(), terms_.end(), 1.0);
  for (std::size_t body = 0; body < view_.bodies.size(); ++body) {
    for (const bool modal : {false, true}) {
      const auto of_kind = [&](const Use& use) { return blocks_[use.block].modal == modal; };
      const auto first = std::find_if(uses_[body].begin(), uses_[body].end(), of_kind);
      if (first == uses_[body].end()) continue;
      for (std::size_t k = 0; k < blocks_[first->block].nv; ++k) {
        differentiate(blocks_[first->block], k, frames);
        for (const Use& use : uses_[body])
          if (of_kind(use)) assemble(use, body, k, frames);
      }
    }
  }
}

/// Column k of a block from the derivatives that stand.
void ConstraintJacobian::assemble(const Use& use, std::size_t body, std::size_t k,
                                  std::span<const BodyMotion> frames) noexcept {
  const std::span<const LoopLayout::End> ends = loops_.layout().ends(use.loop);
  const GroupOne* one = group_one_.data() + loops_.layout().loop(use.loop).first_end;
  const std::size_t count = rows(use.loop);
  double* value = values_.data() + blocks_[use.block].first + k * count;
  std::fill_n(value, count, 0.0);
  double farthest = 0;
  for (std::size_t e = 0; e < ends.size(); ++e) {
    const Spatial moved = derivative_at(ends[e].frame, body, one[e].M, frames);
    for (std::size_t r = 0; r < count; ++r) value[r] += dot(one[e].row[r], moved);
    farthest = std::max(farthest, size(moved.linear));
  }
  terms_[use.loop] = std::max(terms_[use.loop], largest_[use.loop] * (1 + farthest));
}

}  // namespace polyform::reduced
