// Motions of joints: their primitives one by one, and code in a call for all joints of a type.
#include "polyform/mechanics/kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "joint_numbers.hpp"
#include "polyform/helpers/completed.hpp"

namespace polyform {
namespace {

/// The motion that the primitives passed so far give to those that follow.
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

void joint_position_step(const JointData& joint, const double* q, const double* delta, double* step) noexcept {
  joint_position_rates(joint, q, delta, step);
  if (joint.kernel == nullptr) return;
  const double no_velocity[6]{};
  double by_time[most_joint_positions];
  joint_position_rates(joint, q, no_velocity, by_time);
  for (std::size_t k = 0; k < joint.nq; ++k) step[k] -= by_time[k];
}

Spatial joint_drift(const JointData& joint, const double* q) noexcept {
  if (joint.kernel == nullptr) return {};
  const double no_velocity[6]{};
  JointMotion m;
  joint_motion(joint, q, no_velocity, m);
  return m.twist;
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
      worst = std::max(worst,
                       std::abs(norm(Quat{q[0], q[1], q[2], q[3]}) - 1));  // a quaternion of zeros is read as no turn
      write_quaternion(normalized(r), q);
    }
    q += position_count(p.kind);
  }
  return worst;
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

void JointMotions::stop() noexcept {
  for (JointMotion& m : motions_) m.twist = m.bias = {};
}

}  // namespace polyform
