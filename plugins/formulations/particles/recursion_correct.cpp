// The recursion for corrections: what distances, ties and joints are off by, and the least changes that undo it.
//
// A body's particles change by z_l + θ × r_i1 + c_i, where the c_i restore the distances without turning the triangle;
// z = (θ, z_l) takes the place of (α, r̈_1), the c_i that of ω × (ω × r_i1).
#include <algorithm>
#include <cmath>

#include "recursion.hpp"

namespace polyform::particles {

/// How the first (0) or second (1) shared particle changes relative to particle 1 of the inboard body.
Vec3 Recursion::shape_of(const Link& link, std::size_t shared) const noexcept {
  if (link.parent < 0 || link.place[shared] == 0) return {};
  const Shape& shape = shapes_[static_cast<std::size_t>(link.parent)];
  return link.place[shared] == 1 ? shape.c2 : link.place[shared] == 2 ? shape.c4 : tied_[link.particle[shared]];
}

/// Distances that the body adds and its ties. For velocities the errors are the rates of the same terms.
void Recursion::find_shape(std::size_t i, const Input& in, bool of_velocities) noexcept {
  const Link& link = links_[i];
  const ParticleBody& body = layout_.bodies[i];
  const Triangle& t = in.triangles[i];
  const auto [p1, p2, p4] = body.particle;
  const Vec3 v1 = in.velocities[p1], v2 = in.velocities[p2], v4 = in.velocities[p4];
  const auto error = [&](const Vec3& r, const Vec3& v, const Vec3& drawn) {
    const double square = dot(drawn, drawn);
    const double e = of_velocities ? dot(r, v) : 0.5 * (dot(r, r) - square);
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
  for (const Tie& tie : body.ties) {
    const PointRows rows(t, tie.invariants);
    const Vec3 e = of_velocities ? in.velocities[tie.particle] - rows(v1, v2, v4)
                                 : in.positions[tie.particle] - in.positions[p1] - t.point(tie.invariants);
    worst_ = std::max({worst_, std::abs(e.x), std::abs(e.y), std::abs(e.z)});
    tied_[tie.particle] = rows({}, shape.c2, shape.c4) - e;
  }
}

/// z of the body when that of its parent and the motion of the joint are zero.
void Recursion::find_joint_error(std::size_t i, const Input& in, bool of_velocities) noexcept {
  const Link& link = links_[i];
  errors_[i] = {{}, shape_of(link, 0)};
  if (link.hinge == Hinge::revolute) {
    const Triangle& t = in.triangles[i];
    errors_[i].angular = (1 / dot(t.r21, t.r21)) * cross(t.r21, shape_of(link, 1) - errors_[i].linear);
  }
  if (link.hinge != Hinge::general) return;
  const JointData& joint = view_.joints[i];
  const JointConstraint& c = in.joints[i];
  const bool shares_point = shared_particles(joint) == 1;
  Spatial back;
  for (std::size_t k = 0; k < c.rows; ++k) {
    if (shares_point && dot(c.T[k].linear, c.T[k].linear) > 0.5) continue;
    const double e = of_velocities ? dot(c.T[k], c.relative.twist) : c.residual[k];
    worst_ = std::max(worst_, std::abs(e));
    back += (joint.reversed ? e : -e) * c.T[k];
  }
  const BodyMotion& base = motion_of(joint.base, in.motions);
  const BodyMotion& moving = motion_of(joint.moving, in.motions);
  const Vec3 from_M = in.positions[link.particle[0]] - moving.p - moving.R * joint.p_moving;
  const Vec3 angular = base.R * back.angular;
  errors_[i].angular = angular;
  if (!shares_point) errors_[i].linear = base.R * back.linear + cross(angular, from_M);
}

double Recursion::find_errors(const Input& in, bool of_velocities) noexcept {
  worst_ = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    find_shape(i, in, of_velocities);
    find_joint_error(i, in, of_velocities);
  }
  return worst_;
}

/// Momenta of the changes c_i: Eqs 2.5 with them for accelerations.
void Recursion::set_shape_terms(std::size_t i, const Input& in) noexcept {
  const Link& link = links_[i];
  const Triangle& t = in.triangles[i];
  const Vec3 arm[3] = {t.r21, t.point(link.third), t.r41};
  const Vec3 change[3] = {shapes_[i].c2, PointRows(t, link.third)({}, shapes_[i].c2, shapes_[i].c4), shapes_[i].c4};
  Spatial& e = momenta_[i].e;
  e = {};
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 lever;
    for (std::size_t j = 0; j < 3; ++j) lever += link.weight[k][j] * arm[j];
    e += Spatial{cross(lever, change[k]), link.total[k] * change[k]};
  }
  biases_[i] = errors_[i];
}

bool Recursion::corrections(const Input& in, bool of_velocities, std::span<Vec3> out) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    set_inertia(i, in);
    set_directions(i, in);
    set_shape_terms(i, in);
  }
  begin_loops(of_velocities ? LoopClosure::Level::velocity : LoopClosure::Level::position, in, {});
  if (!sum_momenta<false>()) return false;
  loops_.close_ground();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const ParticleBody& body = layout_.bodies[i];
    const Spatial z = follow_joint(i, {});
    for (std::size_t k = link.own; k < link.own + link.owns; ++k) {
      const std::size_t p = own_[k];
      const Vec3 change = p == body.particle[0]   ? Vec3{}
                          : p == body.particle[1] ? shapes_[i].c2
                          : p == body.particle[2] ? shapes_[i].c4
                                                  : tied_[p];
      out[p] = z.linear + cross(z.angular, in.positions[p] - in.positions[link.particle[0]]) + change;
    }
  }
  return true;
}

}  // namespace polyform::particles
