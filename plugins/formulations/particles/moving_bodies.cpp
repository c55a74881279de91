#include "moving_bodies.hpp"

#include <cmath>

namespace polyform::particles {

ParticleMotion::ParticleMotion(const Layout& layout)
    : positions(layout.particles.size()), velocities(layout.particles.size()) {
  for (std::size_t p = 0; p < positions.size(); ++p)
    if (layout.particles[p].body == none) positions[p] = layout.particles[p].place;
}

MovingBodies::MovingBodies(const SystemView& view, const Layout& layout, std::span<const BodyIndex> loaded,
                           Joints joints, bool always)
    : view_(view),
      layout_(layout),
      loaded_(loaded),
      joint_count_(joints == Joints::tree ? view.bodies.size() : view.joints.size()),
      triangles_(view.bodies.size()),
      angular_velocities_(view.bodies.size()),
      motions_(view.bodies.size()),
      joints_(view.joints.size()) {
  find_needed_joints();
  finds_any_ = std::find(needed_.begin(), needed_.end(), true) != needed_.end();
  finds_motions_ = always || finds_any_ || !loaded.empty();
  placed_.triangles = triangles_;
  placed_.angular_velocities = angular_velocities_;
  placed_.motions = motions_;
  placed_.joints = joints_;
}

/// Joints whose constraint rows, forces or whole turns ask for their coordinates at every evaluation.
void MovingBodies::find_needed_joints() {
  needed_.assign(view_.joints.size(), false);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    bool rotates = joint.kernel != nullptr;
    for (const Primitive& p : joint.primitives) rotates = rotates || p.kind == Primitive::Kind::rotation;
    const std::size_t shared = shared_particles(joint);
    needed_[j] = j >= view_.bodies.size() || (shared < 2 && (rotates || joint.nv < 3 + (shared == 0 ? 3u : 0u)));
  }
  for (const ForceInstances& g : view_.forces)
    for (const JointIndex j : g.joints) needed_[at(j)] = true;
  for (const ConstraintInstances& g : view_.constraints)
    for (const JointIndex j : g.joints) needed_[at(j)] = true;
  for (const ModuleInstances& g : view_.modules)
    for (const JointIndex j : g.joints) needed_[at(j)] = true;
}

const PlacedBodies& MovingBodies::place(const ParticleMotion& motion, const JointValues& values,
                                        bool all_joints) noexcept {
  placed_.positions = motion.positions;
  placed_.velocities = motion.velocities;
  place_bodies(motion, all_joints || finds_motions_);
  placed_.violations = {};
  for (std::size_t j = 0; j < joint_count_; ++j)
    if (all_joints || needed_[j]) place_joint(j, values);
  return placed_;
}

/// Triangles and angular velocities of the bodies; on demand the motions of their frames.
void MovingBodies::place_bodies(const ParticleMotion& motion, bool motions) noexcept {
  const std::span<const Vec3> positions = motion.positions, velocities = motion.velocities;
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const ParticleBody& body = layout_.bodies[i];
    const auto [p1, p2, p4] = body.particle;
    Triangle& t = triangles_[i];
    t = Triangle(positions[p1], positions[p2], positions[p4]);
    const Vec3 omega = t.rotation(velocities[p2] - velocities[p1], velocities[p4] - velocities[p1]);
    angular_velocities_[i] = omega;
    if (!motions) continue;
    const Mat3 R = times_transpose(t.axes(), body.to_body);
    const Vec3 from_origin = R * body.place[0];
    motions_[i] = {R, positions[p1] - from_origin, {omega, velocities[p1] - cross(omega, from_origin)}};
  }
}

void MovingBodies::place_joint(std::size_t j, const JointValues& values) noexcept {
  const JointData& joint = view_.joints[j];
  JointConstraint& c = joints_[j];
  joint_constraint(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_),
                   values.q.data() + joint.q_offset, values.v.data() + joint.v_offset, c);
  for (std::size_t i = 0; i < c.rows; ++i)
    placed_.violations.include(std::abs(c.residual[i]), std::abs(dot(c.T[i], c.relative.twist)));
}

}  // namespace polyform::particles
