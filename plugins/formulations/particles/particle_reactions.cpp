// What follows from the accelerations of the particles: those of bodies and joints, and the reactions.
#include <algorithm>
#include <cmath>

#include "particle_system.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform::particles {

Spatial ParticleSystem::body_acceleration(std::size_t i) const noexcept {
  const auto [p1, p2, p4] = layout_.bodies[i].particle;
  const Triangle& t = triangles_[i];
  const BodyMotion& m = motions_[i];
  const Vec3& w = m.V.angular;
  const Vec3 alpha = t.rotation(accelerations_[p2] - accelerations_[p1] - centripetal(w, t.r21),
                                accelerations_[p4] - accelerations_[p1] - centripetal(w, t.r41));
  const Vec3 to_origin = m.p - positions_[p1];
  return {alpha, accelerations_[p1] + cross(alpha, to_origin) + centripetal(w, to_origin)};
}

/// Rates of the angular momentum about particle 1 and of the linear momentum of a body's particles, less those of its
/// weight: Eqs 2.5 and 2.6, A_i r̈_i being Σ_j weight_ij r̃_j1 r̈_i.
Spatial ParticleSystem::momentum_rate(std::size_t i) const noexcept {
  const ParticleBody& body = layout_.bodies[i];
  const auto [p1, p2, p4] = body.particle;
  const Triangle& t = triangles_[i];
  const Vec3 a1 = accelerations_[p1], a2 = accelerations_[p2], a4 = accelerations_[p4];
  const Vec3 a3 = PointRows(t, body.third)(a1, a2, a4) +
                  velocity_term(body.third, velocities_[p2] - velocities_[p1], velocities_[p4] - velocities_[p1]);
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

void ParticleSystem::find_reactions(std::span<const Spatial> wrenches, std::span<Spatial> out) noexcept {
  // What each body needs from its inboard joint, about its frame origin.
  const auto shifted = [](const Spatial& w, const Vec3& arm) {
    return Spatial{w.angular + cross(arm, w.linear), w.linear};
  };
  for (std::size_t i = 0; i < loads_.size(); ++i)
    loads_[i] = shifted(momentum_rate(i), positions_[layout_.bodies[i].particle[0]] - motions_[i].p);
  for (const BodyIndex b : loaded_) loads_[at(b)] -= wrenches[at(b)];
  for (const Group& g : groups_) {
    if (g.kind != Kind::element) continue;
    const ConstraintSet::Element& element = elements_.elements()[g.index];
    for (std::size_t row = 0; row < g.rows; ++row) {
      const double multiplier = element.effort[row] - solution_[g.chunk.first + row];
      for (std::size_t m = 0; m < element.markers.size(); ++m) {
        const BodyIndex b = element.markers[m].body;
        if (is_ground(b)) continue;
        const Spatial w = multiplier * element.A[row * element.markers.size() + m];
        loads_[at(b)] -= shifted(w, element.arms[m]);
      }
      // What it does to joints counts as effort of the joints.
      const double* B = element.B.data() + row * element.velocities;
      for (const JointIndex j : element.joints)
        for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k)
          efforts_[view_.joints[at(j)].v_offset + k] += multiplier * *B++;
    }
  }
  const auto point_M = [&](const JointData& joint) {
    const BodyMotion& m = motion_of(joint.moving, motions_);
    return m.p + m.R * joint.p_moving;
  };
  for (std::size_t j = view_.bodies.size(); j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointConstraint& c = constraint_of(j);
    Spatial w = effort_wrench(c.motion, joint.nv, efforts_.data() + joint.v_offset);
    if (group_of_joint_[j] != none) {
      const Group& g = groups_[group_of_joint_[j]];
      for (std::size_t row = 0; row < g.rows && row < c.rows; ++row) w += -solution_[g.chunk.first + row] * c.T[row];
    }
    out[j] = reaction_in_ground(motion_of(joint.base, motions_), w);
    if (recursive_) out[j] += loops_.reaction(j - view_.bodies.size(), motion_of(joint.base, motions_));
    const Vec3 M = point_M(joint);
    if (!is_ground(joint.moving)) loads_[at(joint.moving)] -= shifted(out[j], M - motions_[at(joint.moving)].p);
    if (!is_ground(joint.base)) loads_[at(joint.base)] += shifted(out[j], M - motions_[at(joint.base)].p);
  }
  for (std::size_t i = view_.bodies.size(); i-- > 0;) {
    const JointData& joint = view_.joints[i];
    const Vec3 M = point_M(joint);
    const Spatial w = shifted(loads_[i], motions_[i].p - M);
    out[i] = joint.reversed ? -1.0 * w : w;
    const BodyIndex in = joint.inboard();
    if (!is_ground(in)) loads_[at(in)] += shifted(w, M - motions_[at(in)].p);
  }
}

double ParticleSystem::driving_power() const noexcept {
  double power = 0;
  for (const Group& g : groups_) {
    if (g.kind != Kind::element) continue;
    const ConstraintSet::Element& element = elements_.elements()[g.index];
    for (std::size_t row = 0; row < g.rows; ++row)
      power += (element.effort[row] - solution_[g.chunk.first + row]) * element.velocity_right[row];
  }
  return power;
}

bool ParticleSystem::joint_accelerations(std::span<double> vdot) noexcept {
  for (std::size_t i = 0; i < loads_.size(); ++i) loads_[i] = body_acceleration(i);
  const auto of = [&](BodyIndex b) { return is_ground(b) ? Spatial{} : loads_[at(b)]; };
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointMotion& m = constraint_of(j).motion;
    const Spatial A = relative_acceleration(joint, motion_of(joint.base, motions_), of(joint.base),
                                            motion_of(joint.moving, motions_), of(joint.moving));
    solve_least_squares(m.H, joint.nv, A - m.bias, vdot.data() + joint.v_offset);
  }
  if (!recursive_ || loops_.empty()) return true;
  const LoopClosure::Contradiction worst = loops_.joint_accelerations(motions_, loads_, vdot);
  return !is_contradiction(worst.part, least_contradiction_of_cuts, position_violation_, velocity_violation_) ||
         contradict("joint", view_.joints[worst.joint].name, worst.part);
}

std::string_view ParticleSystem::name_of(const Group& g) const noexcept {
  if (g.kind == Kind::element) return elements_.elements()[g.index].name;
  return g.kind == Kind::joint ? view_.joints[g.index].name : view_.bodies[g.index].name;
}

const char* ParticleSystem::kind_of(const Group& g) const noexcept {
  return g.kind == Kind::element ? "constraint" : g.kind == Kind::joint ? "joint" : "body";
}

}  // namespace polyform::particles
