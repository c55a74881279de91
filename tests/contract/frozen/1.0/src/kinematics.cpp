#include "polyform/mechanics/kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "polyform/helpers/completed.hpp"
#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/constraint.hpp"

namespace polyform {
namespace {

Quat read_quaternion(const double* q) {
  const Quat r{q[0], q[1], q[2], q[3]};
  return dot(r, r) > 0 ? r : Quat{};
}
void write_quaternion(const Quat& r, double* q) {
  q[0] = r.w;
  q[1] = r.x;
  q[2] = r.y;
  q[3] = r.z;
}

/// What the primitives passed so far do to those that follow.
struct Accumulator {
  Mat3 R = Mat3::identity();  ///< axes reached so far, in F
  Vec3 omega, alpha;          ///< angular velocity of those axes, and its rate at v̇ = 0
};

void primitives_motion(const JointData& joint, const double* q, const double* v, JointMotion& m) noexcept {
  // The primitives are passed from F to M. A rotation turns all primitives that follow it. The origin of M lies off the
  // centre of a rotation only by the translations that follow it, so that each translation adds to the levers of the
  // rotations before it.
  Accumulator a;
  m.p_FM = {};
  m.bias = {};
  m.twist = {};
  std::size_t k = 0;
  Vec3 acceleration;  // of the origin of M at v̇ = 0
  for (const Primitive& p : joint.primitives) {
    switch (p.kind) {
      case Primitive::Kind::rotation: {
        const Vec3 axis = a.R * p.axis;
        m.H[k] = {axis, {}};
        a.alpha += cross(a.omega, v[k] * axis);
        a.omega += v[k] * axis;
        a.R = a.R * axis_rotation(p.axis, std::cos(q[0]), std::sin(q[0]));
        ++q;
        ++k;
        break;
      }
      case Primitive::Kind::translation: {
        const Vec3 axis = a.R * p.axis;
        const Vec3 step = q[0] * axis;
        // Earlier rotations turn this step about their centres.
        for (std::size_t i = 0; i < k; ++i) m.H[i].linear += cross(m.H[i].angular, step);
        m.H[k] = {{}, axis};
        acceleration += cross(a.alpha, step) + cross(a.omega, cross(a.omega, step)) + 2.0 * v[k] * cross(a.omega, axis);
        m.p_FM += step;
        ++q;
        ++k;
        break;
      }
      case Primitive::Kind::ball: {
        for (std::size_t i = 0; i < 3; ++i) m.H[k + i] = {a.R.column(i), {}};
        const Vec3 w = a.R * Vec3{v[k], v[k + 1], v[k + 2]};
        a.alpha += cross(a.omega, w);
        a.omega += w;
        a.R = a.R * rotation_matrix(read_quaternion(q));
        q += 4;
        k += 3;
        break;
      }
    }
  }
  m.R_FM = a.R;
  m.bias = {a.alpha, acceleration};
  for (std::size_t i = 0; i < k; ++i) m.twist += v[i] * m.H[i];
}

JointBatch single(const JointData& joint, const double* q, const double* v) {
  return {.count = 1, .parameters = {&joint.parameters, 1}, .q = {q, joint.nq}, .v = {v, joint.nv}};
}

/// Lets a kernel write numbers of one joint between two guards.
template <class Call>
void guard_numbers(const JointData& joint, double* numbers, Call call) {
  constexpr std::size_t most = 32;
  const unsigned control = floating_point_control();
  const std::size_t n = joint.nq;
  double room[most + 2];
  const bool fits = n <= most;
  if (fits) {
    std::memcpy(&room[0], &guard_word, sizeof guard_word);
    std::memcpy(&room[n + 1], &guard_word, sizeof guard_word);
    std::copy_n(numbers, n, room + 1);
  }
  call(std::span(fits ? room + 1 : numbers, n));
  const bool memory = fits && (std::memcmp(&room[0], &guard_word, sizeof guard_word) != 0 ||
                               std::memcmp(&room[n + 1], &guard_word, sizeof guard_word) != 0);
  if (memory || floating_point_control() != control) [[unlikely]]
    throw ElementBreach(joint.kernel, "joint", memory);
  if (fits) std::copy_n(room + 1, n, numbers);
}

/// Lets a kernel write the motion of one joint between two guards.
void guard_motion(const JointData& joint, const double* q, const double* v, JointMotion& m) {
  struct {
    std::uint64_t before = guard_word;
    JointMotion motion;
    std::uint64_t after = guard_word;
  } room;
  static_assert(sizeof room == sizeof(JointMotion) + 2 * sizeof guard_word);
  const unsigned control = floating_point_control();
  joint.kernel->evaluate(single(joint, q, v), {&room.motion, 1});
  const volatile std::uint64_t& before = room.before;  // read again, whatever the compiler knows of it
  const volatile std::uint64_t& after = room.after;
  const bool memory = before != guard_word || after != guard_word;
  if (memory || floating_point_control() != control) [[unlikely]]
    throw ElementBreach(joint.kernel, "joint", memory);
  std::construct_at(&m, room.motion);
}

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

/// Gauss–Newton from the q given, for sequences without a closed form.
void nearest_coordinates(const JointData& joint, const Mat3& R_FM, const Vec3& p_FM, double* q) noexcept {
  const double no_velocity[6]{};
  JointMotion m;
  for (int iteration = 0; iteration < 30; ++iteration) {
    primitives_motion(joint, q, no_velocity, m);
    const Spatial error{rotation_vector(quaternion_of(times_transpose(R_FM, m.R_FM))), p_FM - m.p_FM};
    double step[6]{}, rate[6 + 2]{};
    // The motion subspace gives the rotation error in F axes about M's own origin, to first order.
    solve_least_squares(m.H, joint.nv, error, step);
    joint_position_rates(joint, q, step, rate);
    double size = 0;
    for (std::size_t i = 0; i < joint.nq; ++i) {
      q[i] += rate[i];
      size = std::max(size, std::abs(rate[i]));
    }
    joint_normalize(joint, q);
    if (size < 1e-14) break;
  }
}

}  // namespace

void joint_motion(const JointData& joint, const double* q, const double* v, JointMotion& m) noexcept {
  if (joint.kernel != nullptr)
    guard_motion(joint, q, v, m);
  else
    primitives_motion(joint, q, v, m);
}

void joint_position_rates(const JointData& joint, const double* q, const double* v, double* qdot) noexcept {
  if (joint.kernel != nullptr) {
    joint.kernel->position_rates(single(joint, q, v),
                                 {qdot, joint.nq});  // guards would be 2 % of a run: conform has them
    return;
  }
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::ball)
      write_quaternion(quaternion_rate(Quat{q[0], q[1], q[2], q[3]}, Vec3{v[0], v[1], v[2]}), qdot);
    else
      qdot[0] = v[0];
    q += position_count(p.kind);
    qdot += position_count(p.kind);
    v += velocity_count(p.kind);
  }
}

void joint_neutral(const JointData& joint, double* q) noexcept {
  if (joint.kernel != nullptr) {
    guard_numbers(joint, q, [&](std::span<double> out) { joint.kernel->neutral(out); });
    return;
  }
  for (const Primitive& p : joint.primitives) {
    *q = p.kind == Primitive::Kind::ball ? 1 : 0;
    std::fill(q + 1, q + position_count(p.kind), 0.0);
    q += position_count(p.kind);
  }
}

double joint_normalize(const JointData& joint, double* q) noexcept {
  double worst = 0;
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::ball) {
      const Quat r = read_quaternion(q);
      worst = std::max(worst, std::abs(norm(r) - 1));
      write_quaternion(normalized(r), q);
    }
    q += position_count(p.kind);
  }
  return worst;
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
      for (std::size_t i = 0; direct && i < translations; ++i) direct = std::abs(dot(axes[i], p.axis)) < 1e-12;
      if (direct) axes[translations++] = p.axis;
    } else {
      ++(p.kind == Primitive::Kind::ball ? balls : rotations);
    }
  }
  direct = direct && (rotations + balls <= 1 || (rotations == 2 && balls == 0));
  if (!direct) {
    nearest_coordinates(joint, R_FM, p_FM, q);
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

Quat joint_orientation(const JointData& joint, const double* q) noexcept {
  if (joint.kernel != nullptr) return joint.kernel->orientation(joint.parameters, {q, joint.nq});
  Quat r;
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::rotation) r = r * axis_angle(p.axis, q[0]);
    if (p.kind == Primitive::Kind::ball) r = r * normalized(read_quaternion(q));
    q += position_count(p.kind);
  }
  return r;
}

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

JointMotions::JointMotions(Strided<const JointData> joints) : joints_(joints), motions_(joints.size()) {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const JointData& joint = joints[i];
    if (joint.kernel == nullptr) {
      data_joints_.push_back(i);
      continue;
    }
    auto batch =
        std::find_if(batches_.begin(), batches_.end(), [&](const Batch& b) { return b.kernel == joint.kernel; });
    if (batch == batches_.end())
      batch = batches_.insert(batches_.end(), Batch{joint.kernel, joint.nq, joint.nv, {}, {}, {}, {}, {}});
    batch->joints.push_back(i);
    batch->parameters.push_back(joint.parameters);
  }
  for (Batch& b : batches_) {
    b.q.resize(b.joints.size() * b.nq);
    b.v.resize(b.joints.size() * b.nv);
    b.motions = guarded<JointMotion>(b.joints.size());
  }
}

void JointMotions::evaluate(const double* q, const double* v) noexcept {
  for (const std::size_t i : data_joints_)
    primitives_motion(joints_[i], q + joints_[i].q_offset, v + joints_[i].v_offset, motions_[i]);
  for (Batch& b : batches_) {
    for (std::size_t k = 0; k < b.joints.size(); ++k) {
      const JointData& joint = joints_[b.joints[k]];
      std::copy_n(q + joint.q_offset, b.nq, b.q.data() + k * b.nq);
      std::copy_n(v + joint.v_offset, b.nv, b.v.data() + k * b.nv);
    }
    const unsigned control = floating_point_control();
    const Strided<JointMotion> given = between(b.motions);
    b.kernel->evaluate({.count = b.joints.size(), .parameters = b.parameters, .q = b.q, .v = b.v}, given);
    check_breach(control, b.kernel, "joint", b.motions);
    for (std::size_t k = 0; k < b.joints.size(); ++k) copy_known(given, k, motions_[b.joints[k]]);
  }
}

}  // namespace polyform
