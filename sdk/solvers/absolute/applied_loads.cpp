#include "polyform/solvers/absolute/applied_loads.hpp"

#include <algorithm>

namespace polyform::absolute {

AppliedLoads::AppliedLoads(const SystemView& view, const Vec3& origin)
    : view_(view),
      forces_(view, origin),
      wrenches_(view.frames()),
      efforts_(view.nv),
      modal_forces_(view.modes),
      xdot_(view.states) {}

void AppliedLoads::evaluate(double t, const AbsoluteEquations& here, std::span<const double> q,
                            std::span<const double> v, std::span<const double> x) noexcept {
  forces_.evaluate(t, here.frames(), q, v, x, wrenches_, efforts_, xdot_);
  std::fill(modal_forces_.begin(), modal_forces_.end(), 0.0);
  for (const FrameIndex f : forces_.loaded_nodes()) {
    const std::size_t node = at(f) - view_.bodies.size();
    here.nodes().add_wrench(node, here.frames(), wrenches_[at(f)], wrenches_[at(view_.nodes[node].body)],
                            modal_forces_.data() + here.nodes().mode_offset(node));
  }
  for (const BodyIndex b : forces_.loaded_bodies())
    wrenches_[at(b)].angular -= cross(here.center(at(b)), wrenches_[at(b)].linear);
}

}  // namespace polyform::absolute
