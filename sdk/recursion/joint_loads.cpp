#include "polyform/solvers/joint_loads.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {

JointLoads::JointLoads(const SystemView& view, const Vec3& origin, const LoopClosure& loops)
    : view_(view),
      loops_(loops),
      forces_(view, origin),
      laws_(forces_, view.nq_tree, view.nv_tree),
      wrenches_(view.frames()),
      efforts_(view.nv) {
  const std::span<const FrameIndex> tied = loops.layout().tied_frames();
  for (const BodyIndex b : forces_.loaded_bodies()) frames_.push_back(frame_of(b));
  frames_.insert(frames_.end(), forces_.loaded_nodes().begin(), forces_.loaded_nodes().end());
  if (forces_.loads_joints() || !loops.constraints().elements().empty())
    frames_.insert(frames_.end(), tied.begin(), tied.end());
  const std::span<const FrameIndex> by_modules = loops.constraints().elements().module_loads().frames();
  frames_.insert(frames_.end(), by_modules.begin(), by_modules.end());
  std::sort(frames_.begin(), frames_.end());
  frames_.erase(std::unique(frames_.begin(), frames_.end()), frames_.end());
}

void JointLoads::evaluate_all(double t, const PlacedState& here, std::span<const double> x,
                              std::span<double> xdot) noexcept {
  for (const FrameIndex f : loops_.layout().tied_frames()) wrenches_[at(f)] = {};
  const ElementRows& elements = loops_.constraints().elements();
  for (const FrameIndex f : elements.module_loads().frames()) wrenches_[at(f)] = {};
  forces_.evaluate(t, here.motions, here.q, here.v, x, wrenches_, efforts_, xdot);
  elements.add_efforts(here.motions, wrenches_);
  if (elements.has_modules()) elements.modules().put_rates(xdot);
  if (!forces_.loads_joints()) return;
  for (std::size_t i = 0; i < view_.cut_joints().size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const ConstraintRow w = constraint_row(cut, motion_of(cut.base_frame, here.motions),
                                           motion_of(cut.moving_frame, here.motions), cut_effort(i));
    if (!is_ground(cut.base_frame)) wrenches_[at(cut.base_frame)] += w.base;
    if (!is_ground(cut.moving_frame)) wrenches_[at(cut.moving_frame)] += w.moving;
  }
}

bool JointLoads::are_efforts_finite() const noexcept {
  return std::all_of(efforts_.begin(), efforts_.end(), [](double x) { return std::isfinite(x); });
}

/// The wrench of the efforts on the i-th cut joint, F axes at the origin of M.
Spatial JointLoads::cut_effort(std::size_t i) const noexcept {
  const JointData& cut = view_.cut_joints()[i];
  return effort_wrench(loops_.constraints().joint(i).motion, cut.nv, efforts_.data() + cut.v_offset);
}

Spatial JointLoads::cut_reaction(std::size_t i, const BodyMotion& base) const noexcept {
  Spatial reaction = loops_.reaction(i, base);
  if (forces_.loads_joints()) reaction += reaction_in_ground(base, cut_effort(i));
  return reaction;
}

}  // namespace polyform
