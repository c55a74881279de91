#include "reactions.hpp"

#include <algorithm>

namespace polyform::thompson {

Reactions::Reactions(const SystemView& view, Reductions& reductions)
    : view_(view),
      reductions_(reductions),
      forces_(reductions.loops().rows()),
      whole_(reductions.loops().rows()),
      carried_(reductions.tree().size()),
      efforts_(view.nv),
      left_{BodyVectors(view.bodies.size()), std::vector<double>(carried_.size())},
      swept_(left_) {}

/// Solves Jᵀ λ = H2ᵀ (Q − M q̈).
void Reactions::find_multipliers(const PlacedTree& tree, const Forces& Q, Accelerations& found) noexcept {
  const H2& h2 = reductions_.tree();
  found.find_left(Q, left_);
  if (tree.closing().empty()) return;
  swept_ = left_;
  carried_ = left_.further;
  h2.to_joints(swept_.bodies, carried_.data());
  reductions_.loops().multipliers(carried_.data(), forces_.data());
  for (double& f : forces_) f = -f;  // the paper has λ on the side of M q̈
  tree.closing().given_multipliers(whole_);
  for (std::size_t r = 0; r < forces_.size(); ++r) whole_[r] += forces_[r];
}

void Reactions::find_module_multipliers(const PlacedTree& tree, std::span<double> out) const noexcept {
  const ClosingConstraints& closing = tree.closing();
  std::size_t next = 0;
  for (std::size_t i = 0; i < closing.constraints().size(); ++i) {
    if (closing.constraints()[i].module == nullptr) continue;
    const std::size_t group = view_.cut_joints().size() + i;
    for (std::size_t r = 0; r < closing.rows(group); ++r) out[next++] = whole_[closing.first_row(group) + r];
  }
}

void Reactions::find(const PlacedTree& tree, std::span<const double> efforts, std::span<Spatial> out) noexcept {
  const H2& h2 = reductions_.tree();
  const ClosingConstraints& closing = tree.closing();
  std::ranges::copy(efforts, efforts_.begin());
  swept_ = left_;
  if (!closing.empty()) {
    reductions_.rows().add_forces(forces_.data(), swept_);
    closing.add_efforts(whole_.data(), efforts_);
  }
  h2.to_joints(swept_.bodies, carried_.data());
  const std::size_t n = view_.bodies.size();
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const Spatial constraint =
        j < n ? h2.constraint_wrench(j, swept_.bodies[j]) : closing.wrench(j - n, forces_.data());
    out[j] = reaction_in_ground(
        motion_of(joint.base_frame, tree.frames()),
        constraint + effort_wrench(tree.motion_of_joint(j), joint.nv, efforts_.data() + joint.v_offset));
  }
}

}  // namespace polyform::thompson
