#include "shape_errors.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::particles {

ShapeErrors::ShapeErrors(const SystemView& view, const Layout& layout, const Links& links)
    : view_(view),
      layout_(layout),
      links_(links),
      shapes_(view.bodies.size()),
      dependent_(layout.particles.size()),
      joints_(view.bodies.size()) {}

/// How the first (0) or second (1) shared particle changes relative to particle 1 of the inboard body.
Vec3 ShapeErrors::shape_of(const Link& link, std::size_t shared) const noexcept {
  if (link.parent < 0 || link.place[shared] == 0) return {};
  const Shape& shape = shapes_[static_cast<std::size_t>(link.parent)];
  return link.place[shared] == 1 ? shape.c2 : link.place[shared] == 2 ? shape.c4 : dependent_[link.particle[shared]];
}

/// Finds the errors of the distances that the body adds, and of its dependent particles. For velocities the errors are
/// the rates of the same terms.
void ShapeErrors::find_shape(std::size_t i, const PlacedBodies& in) noexcept {
  const Link& link = links_[i];
  const ParticleBody& body = layout_.bodies[i];
  const Triangle& t = in.triangles[i];
  const auto [p1, p2, p4] = body.particle;
  const Vec3 v1 = in.velocities[p1], v2 = in.velocities[p2], v4 = in.velocities[p4];
  const auto error = [&](const Vec3& r, const Vec3& v, const Vec3& drawn) {
    const double square = dot(drawn, drawn);
    const double e = of_velocities_ ? dot(r, v) : 0.5 * (dot(r, r) - square);
    worst_ = std::max(worst_, std::abs(e) / std::sqrt(square));
    return e;
  };
  Shape& shape = shapes_[i];
  if (body.inherited == 3) {
    shape = link.parent < 0 ? Shape{} : shapes_[static_cast<std::size_t>(link.parent)];
  } else {
    if (body.inherited == 2) {
      const Vec3 change = shape_of(link, 1) - shape_of(link, 0);
      shape.c2 = (dot(change, t.r21) / dot(t.r21, t.r21)) * t.r21;
    } else {
      shape.c2 = (-error(t.r21, v2 - v1, body.place[1] - body.place[0]) / dot(t.r21, t.r21)) * t.r21;
    }
    // In the plane of the triangle, with r41 · c4 = −e41 and r42 · (c4 − c2) = −e42.
    const Vec3 r42 = t.r41 - t.r21;
    const double e41 = error(t.r41, v4 - v1, body.place[2] - body.place[0]);
    const double e42 = error(r42, v4 - v2, body.place[2] - body.place[1]);
    shape.c4 =
        t.per_normal * ((e42 - e41 - dot(r42, shape.c2)) * cross(t.r41, t.normal) - e41 * cross(t.normal, t.r21));
  }
  for (const DependentParticle& dependent : body.dependents) {
    const PointRows rows(t, dependent.invariants);
    const Vec3 e = of_velocities_ ? in.velocities[dependent.particle] - rows(v1, v2, v4)
                                  : in.positions[dependent.particle] - in.positions[p1] - t.point(dependent.invariants);
    worst_ = std::max({worst_, std::abs(e.x), std::abs(e.y), std::abs(e.z)});
    dependent_[dependent.particle] = rows({}, shape.c2, shape.c4) - e;
  }
}

/// Finds z of the body if that of its parent and the motion of the joint are zero.
void ShapeErrors::find_joint_error(std::size_t i, const PlacedBodies& in) noexcept {
  const Link& link = links_[i];
  joints_[i] = {{}, shape_of(link, 0)};
  if (link.hinge == Hinge::revolute) {
    const Triangle& t = in.triangles[i];
    joints_[i].angular = (1 / dot(t.r21, t.r21)) * cross(t.r21, shape_of(link, 1) - joints_[i].linear);
  }
  if (link.hinge != Hinge::general) return;
  const JointData& joint = view_.joints[i];
  const JointConstraint& c = in.joints[i];
  const bool shares_point = shared_particles(joint) == 1;
  Spatial back;
  for (std::size_t k = 0; k < c.rows; ++k) {
    if (shares_point && dot(c.T[k].linear, c.T[k].linear) > 0.5) continue;
    const double e = of_velocities_ ? dot(c.T[k], c.relative.twist) : c.residual[k];
    worst_ = std::max(worst_, std::abs(e));
    back += (joint.reversed ? e : -e) * c.T[k];
  }
  const BodyMotion& base = motion_of(joint.base, in.motions);
  const BodyMotion& moving = motion_of(joint.moving, in.motions);
  const Vec3 from_M = in.positions[link.particle[0]] - moving.p - moving.R * joint.p_moving;
  const Vec3 angular = base.R * back.angular;
  joints_[i].angular = angular;
  if (!shares_point) joints_[i].linear = base.R * back.linear + cross(angular, from_M);
}

double ShapeErrors::find(const PlacedBodies& in, bool of_velocities) noexcept {
  of_velocities_ = of_velocities;
  worst_ = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    find_shape(i, in);
    find_joint_error(i, in);
  }
  return worst_;
}

}  // namespace polyform::particles
