#include "reactions.hpp"

#include <algorithm>

namespace polyform::particles {

Reactions::Reactions(const SystemView& view, const Layout& layout)
    : view_(view),
      layout_(layout),
      accelerations_(view.bodies.size()),
      needed_(view.bodies.size()),
      efforts_(view.nv) {}

std::span<const Spatial> Reactions::body_accelerations(const PlacedBodies& placed,
                                                       std::span<const Vec3> accelerations) noexcept {
  for (std::size_t i = 0; i < accelerations_.size(); ++i) {
    const auto [p1, p2, p4] = layout_.bodies[i].particle;
    const Triangle& t = placed.triangles[i];
    const BodyMotion& m = placed.motions[i];
    const Vec3& w = m.V.angular;
    const Vec3 alpha = t.rotation(accelerations[p2] - accelerations[p1] - centripetal(w, t.r21),
                                  accelerations[p4] - accelerations[p1] - centripetal(w, t.r41));
    const Vec3 to_origin = m.p - placed.positions[p1];
    accelerations_[i] = {alpha, accelerations[p1] + cross(alpha, to_origin) + centripetal(w, to_origin)};
  }
  return accelerations_;
}

/// Rates of the angular momentum about particle 1 and of the linear momentum of a body's particles, less those of its
/// weight: Eqs 2.5 and 2.6, A_i r̈_i being Σ_j weight_ij r̃_j1 r̈_i.
Spatial Reactions::momentum_rate(const PlacedBodies& placed, std::size_t i,
                                 std::span<const Vec3> accelerations) const noexcept {
  const ParticleBody& body = layout_.bodies[i];
  const auto [p1, p2, p4] = body.particle;
  const Triangle& t = placed.triangles[i];
  const std::span<const Vec3> velocities = placed.velocities;
  const Vec3 a1 = accelerations[p1], a2 = accelerations[p2], a4 = accelerations[p4];
  const Vec3 a3 = PointRows(t, body.third)(a1, a2, a4) +
                  velocity_term(body.third, velocities[p2] - velocities[p1], velocities[p4] - velocities[p1]);
  const Vec3 arm[4] = {{}, t.r21, t.point(body.third), t.r41};
  const Vec3 a[4] = {a1 - view_.gravity, a2 - view_.gravity, a3 - view_.gravity, a4 - view_.gravity};
  Spatial rate;
  for (std::size_t k = 0; k < 4; ++k) {
    Vec3 lever;
    for (std::size_t j = 1; j < 4; ++j) lever += body.masses.weight[k][j] * arm[j];
    rate += Spatial{cross(lever, a[k]), body.masses.total[k] * a[k]};
  }
  return rate;
}

void Reactions::find(const Equations& equations, const Applied& applied, std::span<const Vec3> accelerations,
                     std::span<Spatial> out) noexcept {
  const PlacedBodies& placed = equations.bodies().placed();
  const auto shifted = [](const Spatial& w, const Vec3& arm) {
    return Spatial{w.angular + cross(arm, w.linear), w.linear};
  };
  for (std::size_t i = 0; i < needed_.size(); ++i)
    needed_[i] = shifted(momentum_rate(placed, i, accelerations),
                         placed.positions[layout_.bodies[i].particle[0]] - placed.motions[i].p);
  for (const BodyIndex b : equations.bodies().loaded()) needed_[at(b)] -= applied.wrenches[at(b)];
  std::ranges::copy(applied.efforts, efforts_.begin());
  equations.take_elements(needed_, efforts_);
  const auto point_M = [&](const JointData& joint) {
    const BodyMotion& m = motion_of(joint.moving, placed.motions);
    return m.p + m.R * joint.p_moving;
  };
  equations.cut_reactions(placed, efforts_, out);
  for (std::size_t j = view_.bodies.size(); j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const Vec3 M = point_M(joint);
    if (!is_ground(joint.moving)) needed_[at(joint.moving)] -= shifted(out[j], M - placed.motions[at(joint.moving)].p);
    if (!is_ground(joint.base)) needed_[at(joint.base)] += shifted(out[j], M - placed.motions[at(joint.base)].p);
  }
  for (std::size_t i = view_.bodies.size(); i-- > 0;) {
    const JointData& joint = view_.joints[i];
    const Vec3 M = point_M(joint);
    const Spatial w = shifted(needed_[i], placed.motions[i].p - M);
    out[i] = joint.reversed ? -1.0 * w : w;
    const BodyIndex in = joint.inboard();
    if (!is_ground(in)) needed_[at(in)] += shifted(w, M - placed.motions[at(in)].p);
  }
}

}  // namespace polyform::particles
