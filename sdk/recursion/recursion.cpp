#include "polyform/solvers/recursion.hpp"

namespace polyform {

Recursion::Recursion(const SystemView& view, LoopClosure& loops)
    : tree_(view, loops),
      flexible_(loops.flexible()),
      motion_(view, tree_, flexible_),
      sweep_(view, tree_, motion_, loops),
      refinement_(view, tree_, motion_, loops, sweep_),
      drive_{.ground = -view.gravity},
      gravity_(view.gravity),
      of_frames_(loops.constraints().elements().has_modules() ? view.frames() : 0),
      loops_(loops) {}

bool Recursion::accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                              std::span<const double> efforts, double* vdot, double* etaddot, bool keep) noexcept {
  if (!flexible_.empty()) flexible_.begin(motion_.eta(), motion_.etadot(), true);
  for (const FrameIndex f : loaded) sweep_.load(f, wrenches[at(f)]);
  drive_.loaded = !loaded.empty();
  drive_.efforts = efforts.empty() ? nullptr : efforts.data();
  drive_.keep = keep;
  if (!sweep_.solve(drive_, vdot, etaddot)) return false;
  if (flexible_.empty()) {
    refinement_.mend(vdot, drive_.efforts, keep ? Mending::Aim::forces : Mending::Aim::accelerations);
    lost_ = refinement_.lost();
  }
  if (loops_.constraints().elements().has_modules()) {
    find_frames(gravity_, of_frames_);
    loops_.complete_modules(of_frames_);
  }
  return true;
}

bool Recursion::closing_step(LoopClosure::Level level, double* step, double* modal_step) noexcept {
  if (!flexible_.empty()) flexible_.begin(motion_.eta(), motion_.etadot(), false);
  if (!sweep_.solve({.level = level, .ground = {}}, step, modal_step)) return false;
  if (!loops_.constraints().elements().has_modules()) return true;
  find_frames({}, of_frames_);
  loops_.complete_modules(of_frames_);
  return true;
}

void Recursion::body_accelerations(std::span<Spatial> out) const noexcept { find_frames(gravity_, out); }

/// Accelerations of the origins of all frames from those of the sweep, which are those less `base`.
void Recursion::find_frames(const Vec3& base, std::span<Spatial> out) const noexcept {
  const std::span<const Spatial> all = sweep_.z();
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    if (tree_.links[i].flexible) continue;
    const Spatial& z = all[i];
    const Vec3 &omega = motion_.work(i).omega, arm = motion_.arm(i);
    out[i] = {z.angular, z.linear + base - cross(z.angular, arm) - cross(omega, cross(omega, arm))};
  }
  for (std::size_t f = 0; f < out.size() && !flexible_.empty(); ++f)
    if (const std::size_t a = flexible_.attachment_of(frame_index(f)); a != FlexibleLinks::none)
      out[f] = {all[tree_.index_of(a)].angular, all[tree_.index_of(a)].linear + base};
}

void Recursion::reactions(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const HingedTree::Link& link = tree_.links[i];
    Spatial z_a = refinement_.has_mended() ? refinement_.wrench(i) : sweep_.wrench(i);
    if (link.reversed) {
      // On the moving body, which is inboard, at the origin of M, which lies at P_to_M from P.
      const Vec3 P_to_M = motion_.inboard(link).R * link.lever - motion_.work(i).r;
      z_a = -1.0 * Spatial{z_a.angular - cross(P_to_M, z_a.linear), z_a.linear};
    }
    out[i] = z_a;
  }
}

}  // namespace polyform
