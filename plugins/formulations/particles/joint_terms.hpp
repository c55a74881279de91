// Rows of joints and elements, which read twists of bodies, in the accelerations of particles.
#pragma once

#include "applied_loads.hpp"

namespace polyform::particles {

/// Turns a row for the angular velocity of a body and the velocity of its frame origin into a row f for the velocities
/// of its particles 1, 2 and 4. Read as forces on these, f are a wrench about the frame origin.
inline void share_among_particles(const Layout& layout, const PlacedBodies& placed, std::size_t body,
                                  const Spatial& about_origin, Vec3 (&f)[3]) noexcept {
  placed.triangles[body].distribute(about_first(placed, layout.bodies[body], body, about_origin), f[0], f[1], f[2]);
}

/// The acceleration of a body if none of its particles accelerates: it comes from the rates of their directions.
inline Spatial velocity_terms(const Layout& layout, const PlacedBodies& placed, BodyIndex b) noexcept {
  if (is_ground(b)) return {};
  const Triangle& t = placed.triangles[at(b)];
  const BodyMotion& m = placed.motions[at(b)];
  const Vec3& w = m.V.angular;
  const Vec3 alpha = -t.rotation(centripetal(w, t.r21), centripetal(w, t.r41));
  const Vec3 to_origin = m.p - placed.positions[layout.bodies[at(b)].particle[0]];
  return {alpha, cross(alpha, to_origin) + centripetal(w, to_origin)};
}

/// The relative acceleration of M in F of a joint if no particle accelerates.
inline Spatial joint_velocity_terms(const JointData& joint, const Layout& layout, const PlacedBodies& placed) noexcept {
  return relative_acceleration(joint, motion_of(joint.base, placed.motions), velocity_terms(layout, placed, joint.base),
                               motion_of(joint.moving, placed.motions), velocity_terms(layout, placed, joint.moving));
}

/// The motions of a tree joint at particle 1 of its outboard body, ground axes, from its motion subspace.
class DirectionsAtFirst {
 public:
  DirectionsAtFirst(const JointData& joint, const Layout& layout, const PlacedBodies& placed, std::size_t body) noexcept
      : H_(placed.joints[body].motion.H),
        base_(motion_of(joint.base, placed.motions).R),
        sign_(joint.reversed ? -1 : 1) {
    const BodyMotion& moving = motion_of(joint.moving, placed.motions);
    from_M_ = placed.positions[layout.bodies[body].particle[0]] - moving.p - moving.R * joint.p_moving;
  }
  Spatial operator[](std::size_t k) const noexcept {
    const Vec3 angular = sign_ * (base_ * H_[k].angular), linear = sign_ * (base_ * H_[k].linear);
    return {angular, linear + cross(angular, from_M_)};
  }

 private:
  const Spatial* H_;
  Mat3 base_;
  double sign_;
  Vec3 from_M_;
};

}  // namespace polyform::particles
