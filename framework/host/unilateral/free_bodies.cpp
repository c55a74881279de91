#include "framework/host/unilateral/free_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline unilateral {

namespace {

/// The determinant of an inertia tensor, and its inverse times that.
double adjugate(const Sym3& a, Sym3& out) {
  out = {a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
         a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.xx * a.yz};
  return a.xx * out.xx + a.xy * out.xy + a.xz * out.xz;
}

/// Whether a joint has all six freedoms, independent at all its positions.
bool is_free_joint(const JointData& joint) {
  // The volume of three unit axes: those of a drawing are upright.
  constexpr double least_volume = 0.1;
  if (joint.kernel != nullptr || joint.nv != 6) return false;
  Vec3 axes[3];
  std::size_t displacements = 0, balls = 0;
  for (const Primitive& primitive : joint.primitives) {
    if (primitive.kind == Primitive::Kind::rotation) return false;
    if (primitive.kind == Primitive::Kind::ball) {
      // Displacements after it have their axes in the turned frame, and are as independent.
      ++balls;
    } else if (displacements < 3) {
      axes[displacements++] = primitive.axis;
    }
  }
  return balls == 1 && displacements == 3 && std::abs(dot(axes[0], cross(axes[1], axes[2]))) > least_volume;
}

}  // namespace

FreeBodies::FreeBodies(const SystemView& view, const UnilateralSet& set)
    : view_(view), free_(view.bodies.size(), 0), inverse_inertia_(view.bodies.size()) {
  // Inertia that is flat by rounding has no inverse.
  constexpr double least_determinant = 1e-9;
  for (std::size_t b = 0; b < view.bodies.size(); ++b) {
    const BodyData& body = view.bodies[b];
    const JointData& joint = view.joints[b];
    const Sym3& J = body.inertia;
    const double det = adjugate(J, inverse_inertia_[b]);
    if (!(body.mass > 0) || !(det > least_determinant * J.xx * J.yy * J.zz) || body.flexible != rigid ||
        !is_free_joint(joint) || !is_ground(joint.inboard()))
      continue;
    free_[b] = 1;
    for (double* part : {&inverse_inertia_[b].xx, &inverse_inertia_[b].yy, &inverse_inertia_[b].zz,
                         &inverse_inertia_[b].xy, &inverse_inertia_[b].xz, &inverse_inertia_[b].yz})
      *part /= det;
  }
  const auto moved_by = [](const JointData& joint) { return is_ground(joint.moving) ? joint.base : joint.moving; };
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    if (j < view.bodies.size() && is_ground(joint.inboard())) continue;
    leave_out(joint.base);
    leave_out(joint.moving);
  }
  const auto leave_out_all = [&](const auto& groups) {
    for (const auto& group : groups) {
      for (const ElementInstance& instance : group.instances)
        for (const Marker& marker : instance.markers) leave_out(marker.body);
      for (const JointIndex joint : group.joints) leave_out(moved_by(view.joints[at(joint)]));
    }
  };
  leave_out_all(view.constraints);
  leave_out_all(view.modules);
  for (std::size_t k = 0; k < set.points(); ++k) {
    const std::size_t v = set.velocity_of(k);
    if (v == UnilateralPoint::none) continue;
    for (const JointData& joint : view.joints)
      if (v >= joint.v_offset && v < joint.v_offset + joint.nv) leave_out(moved_by(joint));
  }
}

void FreeBodies::find(const UnilateralSet& set, std::size_t point, std::size_t side, Side& out) const {
  const std::size_t b = at(set.frame_of(point, side));
  const Mat3& R = set.orientation_of(point, side);
  const Vec3 centre = R * view_.bodies[b].center_of_mass;
  out.inverse_mass = 1 / view_.bodies[b].mass;
  for (std::size_t r = 0; r < UnilateralSet::rows_per_point; ++r) {
    const Spatial wrench = set.wrench_of(UnilateralSet::rows_per_point * point + r, side);
    out.linear[r] = wrench.linear;
    out.angular[r] = wrench.angular - cross(centre, wrench.linear);
    out.turned[r] = R * (inverse_inertia_[b] * transpose_times(R, out.angular[r]));
  }
}

}  // namespace polyform::host::inline unilateral
