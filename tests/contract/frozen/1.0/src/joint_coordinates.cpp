// Coordinates of a joint from the pose of its frames: in closed form if there is one, else nearest.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "joint_numbers.hpp"
#include "polyform/mechanics/constraint.hpp"

namespace polyform {
namespace {

/// Steps of Newton's method on the coordinates of a joint: so many at most, and until they are rounding.
constexpr int most_steps = 30;
constexpr double rounding_of_step = 1e-14;
/// The cosine of axes at right angles, by rounding.
constexpr double perpendicular = 1e-12;

double turns(double angle, double hint) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((hint - angle) / turn);
}
/// Angle about a unit axis that brings R closest to that rotation.
double angle_about(const Vec3& axis, const Mat3& R) {
  const Vec3 s{R.m[7] - R.m[5], R.m[2] - R.m[6], R.m[3] - R.m[1]};
  // tr R = 1 + 2 cos, and the antisymmetric part holds 2 sin; for R off the axis, weigh the part about the axis.
  const Vec3 ra = R * axis;
  return std::atan2(dot(axis, s), R.m[0] + R.m[4] + R.m[8] - dot(axis, ra));
}

}  // namespace

void nearest_joint_coordinates(const JointData& joint, const Mat3& R_FM, const Vec3& p_FM, double* q) noexcept {
  const double no_velocity[6]{};
  JointMotion m;
  for (int iteration = 0; iteration < most_steps; ++iteration) {
    joint_motion(joint, q, no_velocity, m);
    const Spatial error{rotation_vector(quaternion_of(times_transpose(R_FM, m.R_FM))), p_FM - m.p_FM};
    double step[6]{}, rate[most_joint_positions];
    // The motion subspace gives the rotation error in F axes about M's own origin, to first order.
    solve_least_squares(m.H, joint.nv, error, step);
    joint_position_step(joint, q, step, rate);
    double size = 0;
    for (std::size_t i = 0; i < joint.nq; ++i) {
      q[i] += rate[i];
      size = std::max(size, std::abs(rate[i]));
    }
    joint_normalize(joint, q);
    if (size < rounding_of_step) break;
  }
}

void joint_coordinates(const JointData& joint, const Mat3& R_FM, const Vec3& p_FM, double* q) noexcept {
  if (joint.kernel != nullptr) {
    guard_numbers(joint, q,
                  [&](std::span<double> out) { joint.kernel->coordinates(joint.parameters, R_FM, p_FM, out); });
    return;
  }
  // Translations that come before every rotation, along orthogonal axes, and then one rotation or a ball have a
  // closed form; so do two rotations. The rest is found by Gauss–Newton from the hint.
  std::size_t rotations = 0, balls = 0;
  bool direct = true;
  Vec3 axes[3];
  std::size_t translations = 0;
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::translation) {
      direct = direct && rotations + balls == 0 && translations < 3;
      for (std::size_t i = 0; direct && i < translations; ++i) direct = std::abs(dot(axes[i], p.axis)) < perpendicular;
      if (direct) axes[translations++] = p.axis;
    } else {
      ++(p.kind == Primitive::Kind::ball ? balls : rotations);
    }
  }
  direct = direct && (rotations + balls <= 1 || (rotations == 2 && balls == 0));
  if (!direct) {
    nearest_joint_coordinates(joint, R_FM, p_FM, q);
    return;
  }
  for (std::size_t i = 0; i < translations; ++i) q[i] = dot(axes[i], p_FM);
  q += translations;
  if (balls == 1) {
    Quat r = quaternion_of(R_FM);
    if (dot(r, read_quaternion(q)) < 0) r = {-r.w, -r.x, -r.y, -r.z};
    write_quaternion(r, q);
  } else if (rotations == 1) {
    q[0] = turns(angle_about(joint.primitives.back().axis, R_FM), q[0]);
  } else if (rotations == 2) {
    // R = Rot(a, q0) Rot(b, q1): a sees b turned by q0 only, then b sees what is left.
    const Vec3 a = joint.primitives[translations].axis, b = joint.primitives[translations + 1].axis;
    const Vec3 turned = R_FM * b;
    const Vec3 from = b - dot(a, b) * a, to = turned - dot(a, turned) * a;
    const double angle = std::atan2(dot(a, cross(from, to)), dot(from, to));
    const Mat3 rest = transpose_times(axis_rotation(a, std::cos(angle), std::sin(angle)), R_FM);
    q[0] = turns(angle, q[0]);
    q[1] = turns(angle_about(b, rest), q[1]);
  }
}

}  // namespace polyform
