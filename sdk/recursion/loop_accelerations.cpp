#include "polyform/solvers/loop_accelerations.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/solvers/contradiction.hpp"

namespace polyform {

/// The accelerations of a body that stands still or turns evenly are rounding errors, of those that the multipliers
/// undo and of those that the bearings could ask for. So all bodies have one scale, which includes both.
double LoopAccelerations::largest_acceleration(std::span<const BodyMotion> frames,
                                               std::span<const Spatial> accelerations) const noexcept {
  const LoopLayout& layout = loops_.layout();
  const ClosingConstraints& constraints = loops_.constraints();
  const ElementRows& elements = constraints.elements();
  double largest = least_acceleration;
  for (std::size_t b = 0; b < view_.bodies.size(); ++b) {
    if (!layout.carries(b)) continue;
    const Vec3& omega = frames[b].V.angular;
    largest = std::max({largest, scales_.of_body(b, frames[b]).acceleration, dot(omega, omega)});
    for (std::size_t k = 0; k < view_.joints[b].nv && !layout.passing(b).empty(); ++k)
      largest = std::max(largest, std::abs(loops_.rate(b, k)));
  }
  for (const FrameIndex f : layout.tied_frames())
    largest = std::max({largest, size(accelerations[at(f)].angular), size(accelerations[at(f)].linear)});
  for (std::size_t i = 0; i < constraints.cuts(); ++i) {
    const Spatial& bias = constraints.joint(i).motion.bias;
    largest = std::max({largest, size(bias.angular), size(bias.linear)});
  }
  for (std::size_t g = 0; g < elements.groups(); ++g)
    for (std::size_t r = 0; r < elements.group(g).rows; ++r)
      largest = std::max(largest, std::abs(elements.solved().row(elements.group(g), r).acceleration));
  return largest;
}

LoopContradiction LoopAccelerations::find(std::span<const BodyMotion> frames, std::span<const Spatial> accelerations,
                                          std::span<double> vdot) const noexcept {
  const ClosingConstraints& constraints = loops_.constraints();
  const ElementRows& elements = constraints.elements();
  LoopContradiction worst{0, constraints.errors().worst()};
  if (constraints.empty()) return worst;
  const double largest = largest_acceleration(frames, accelerations);
  for (std::size_t i = 0; i < constraints.groups(); ++i) {
    const bool is_cut = constraints.is_cut(i);
    const double missed = is_cut ? missed_by_cut(i, frames, accelerations, vdot)
                                 : elements.missed_by(constraints.element(i), accelerations);
    if (!(missed > 0)) continue;
    const double own = is_cut ? 0 : elements.variables().largest_term(constraints.element(i));
    if (const double part = missed / std::max(largest, own); part > worst.part) worst = {part, i};
  }
  return worst;
}

/// Also sets the accelerations of the cut joint.
double LoopAccelerations::missed_by_cut(std::size_t i, std::span<const BodyMotion> frames,
                                        std::span<const Spatial> accelerations, std::span<double> vdot) const noexcept {
  const auto of = [&](FrameIndex f) { return is_ground(f) ? Spatial{} : accelerations[at(f)]; };
  const JointData& cut = loops_.constraints().cut(i);
  const JointConstraint& c = loops_.constraints().joint(i);
  const Spatial A = relative_acceleration(cut, motion_of(cut.base_frame, frames), of(cut.base_frame),
                                          motion_of(cut.moving_frame, frames), of(cut.moving_frame));
  const Spatial free = A - c.motion.bias;
  solve_least_squares(c.motion.H, cut.nv, free, vdot.data() + cut.v_offset);
  double missed = 0;
  for (std::size_t r = 0; r < c.rows; ++r) missed = std::max(missed, std::abs(dot(c.T[r], free)));
  return missed;
}

}  // namespace polyform
