// Motions across a joint: of its frames relative to each other, and of the outboard frame from the inboard one.
#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

RelativeMotion relative_motion(const JointData& joint, const BodyMotion& base, const BodyMotion& moving) noexcept {
  const Vec3 to_M = moving.R * joint.p_moving;  // from the moving origin, ground axes
  const Vec3 M = moving.p + to_M;
  const Vec3 from_base = M - base.p;
  RelativeMotion r;
  r.R_FM = times_transpose(transpose_times(base.R, moving.R), joint.R_drawn);
  r.p_FM = transpose_times(base.R, from_base) - joint.p_base;
  const Vec3 v_M = moving.V.linear + cross(moving.V.angular, to_M);
  const Vec3 v_base = base.V.linear + cross(base.V.angular, from_base);
  r.twist = {transpose_times(base.R, moving.V.angular - base.V.angular), transpose_times(base.R, v_M - v_base)};
  return r;
}

Spatial relative_acceleration(const JointData& joint, const BodyMotion& base, const Spatial& base_acceleration,
                              const BodyMotion& moving, const Spatial& moving_acceleration) noexcept {
  const Vec3 to_M = moving.R * joint.p_moving;
  const Vec3 r = moving.p + to_M - base.p;
  const Vec3 wb = base.V.angular, wm = moving.V.angular;
  const Vec3 v_rel = moving.V.linear + cross(wm, to_M) - base.V.linear - cross(wb, r);
  const Vec3 a_M = moving_acceleration.linear + cross(moving_acceleration.angular, to_M) + cross(wm, cross(wm, to_M));
  const Vec3 a_base = base_acceleration.linear + cross(base_acceleration.angular, r) + cross(wb, cross(wb, r));
  return {transpose_times(base.R, moving_acceleration.angular - base_acceleration.angular - cross(wb, wm - wb)),
          transpose_times(base.R, a_M - a_base - 2.0 * cross(wb, v_rel))};
}

void outboard_motion(const JointData& joint, const JointMotion& m, const BodyMotion& inboard,
                     BodyMotion& outboard) noexcept {
  if (!joint.reversed) {
    const Vec3 w = inboard.R * m.twist.angular;
    outboard.R = inboard.R * (m.R_FM * joint.R_drawn);
    const Vec3 r = inboard.R * (joint.p_base + m.p_FM);  // base origin to M
    const Vec3 to_M = outboard.R * joint.p_moving;
    outboard.V.angular = inboard.V.angular + w;
    outboard.p = inboard.p + r - to_M;
    outboard.V.linear =
        inboard.V.linear + cross(inboard.V.angular, r) + inboard.R * m.twist.linear - cross(outboard.V.angular, to_M);
  } else {
    // The outboard body is base: undo the joint, whose F axes are those of the outboard body.
    outboard.R = times_transpose(inboard.R, m.R_FM * joint.R_drawn);
    const Vec3 to_M = inboard.R * joint.p_moving;
    const Vec3 r = outboard.R * (joint.p_base + m.p_FM);
    outboard.V.angular = inboard.V.angular - outboard.R * m.twist.angular;
    outboard.p = inboard.p + to_M - r;
    outboard.V.linear =
        inboard.V.linear + cross(inboard.V.angular, to_M) - outboard.R * m.twist.linear - cross(outboard.V.angular, r);
  }
}

Spatial outboard_acceleration(const JointData& joint, const JointMotion& m, const BodyMotion& inboard, const Spatial& A,
                              const BodyMotion& outboard, const double* vdot) noexcept {
  Spatial relative = m.bias;
  for (std::size_t i = 0; i < joint.nv; ++i) relative += vdot[i] * m.H[i];
  const BodyMotion& base = joint.reversed ? outboard : inboard;
  const BodyMotion& moving = joint.reversed ? inboard : outboard;
  const Vec3 to_M = moving.R * joint.p_moving;
  const Vec3 r = base.R * (joint.p_base + m.p_FM);
  const Vec3 wb = base.V.angular, wm = moving.V.angular;
  // α_moving − α_base, and a_M − (a_base + α_base × r), all in ground axes.
  const Vec3 angular = base.R * relative.angular + cross(wb, wm - wb);
  const Vec3 linear = base.R * relative.linear + 2.0 * cross(wb, base.R * m.twist.linear) + cross(wb, cross(wb, r));
  const Vec3 sweep = cross(wm, cross(wm, to_M));
  if (!joint.reversed) {
    const Vec3 alpha = A.angular + angular;
    return {alpha, A.linear + cross(A.angular, r) + linear - cross(alpha, to_M) - sweep};
  }
  const Vec3 alpha = A.angular - angular;
  return {alpha, A.linear + cross(A.angular, to_M) + sweep - linear - cross(alpha, r)};
}

}  // namespace polyform
