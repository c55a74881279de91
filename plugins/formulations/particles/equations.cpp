#include "equations.hpp"

#include <cmath>

#include "polyform/mechanics/judgement.hpp"

namespace polyform::particles {

CarriedVelocities::CarriedVelocities(const SystemView& view, const Layout& layout)
    : view_(view),
      layout_(layout),
      positions_(layout.particles.size()),
      angular_velocities_(view.bodies.size()),
      changes_(layout.particles.size()) {}

void CarriedVelocities::start(const PlacedBodies& placed) noexcept {
  std::ranges::copy(placed.positions, positions_.begin());
  std::ranges::copy(placed.angular_velocities, angular_velocities_.begin());
}

void CarriedVelocities::carry(ParticleMotion& motion) noexcept {
  const auto moved = [&](std::size_t p) { return motion.positions[p] - positions_[p]; };
  // Parents stand before their children, and particle 1 of a body before its others.
  for (std::size_t p = 0; p < positions_.size(); ++p) {
    const std::size_t i = layout_.particles[p].body;
    if (i == none) continue;
    const std::size_t first = layout_.bodies[i].particle[0];
    const JointData& joint = view_.joints[i];
    std::size_t from = first;
    if (p == first)
      from = is_ground(joint.inboard()) || joint.nv >= 6 ? p : layout_.bodies[at(joint.inboard())].particle[0];
    // A particle that moves with no other turns about its former place.
    changes_[p] = from == p ? cross(angular_velocities_[i], moved(p))
                            : changes_[from] + cross(angular_velocities_[i], moved(p) - moved(from));
  }
  for (std::size_t p = 0; p < positions_.size(); ++p) motion.velocities[p] += changes_[p];
}

Equations::Equations(const SystemView& view, const Layout& layout, std::span<const BodyIndex> loaded,
                     MovingBodies::Joints joints, bool always_motions)
    : view_(view), layout_(layout), bodies_(view, layout, loaded, joints, always_motions), carried_(view, layout) {}

bool Equations::project(double t, ParticleMotion& motion, const JointValues& joints, double tolerance,
                        Correction& out) noexcept {
  failure_.clear();
  double size = 1;
  for (const Vec3& r : motion.positions) size = std::max({size, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
  const double target = std::min(tolerance, 2e-15 * size);
  // No tolerance is below rounding.
  tolerance = std::max(tolerance, position_rounding_part * size);
  if (!correct_positions(t, motion, joints, tolerance, target, out)) return false;
  if (out.iterations > 0) {
    carried_.carry(motion);
    place_carried(motion, joints);
  }
  failure_.clear();
  return correct_velocities(t, motion, joints, out);
}

}  // namespace polyform::particles
