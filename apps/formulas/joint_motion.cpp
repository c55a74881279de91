// How joints change the motion of a frame.
#include <fmt/format.h>

#include "apps/formulas/expansion.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::apps::formulas {

ex Expansion::position(const JointData& joint, std::size_t k) {
  const std::string name = joint.nq == 1 ? fmt::format("q_{}", joint.name) : fmt::format("q_{}_{}", joint.name, k + 1);
  return positions_[joint.q_offset + k] =
             symbols_.add(Symbols::Kind::position, name, request_.state.q[joint.q_offset + k], "coordinate, rad or m");
}

ex Expansion::velocity(const JointData& joint, std::size_t k, const std::string& name, double value,
                       const char* meaning) {
  const std::string whole = joint.nv == 1 ? fmt::format("u_{}", joint.name) : fmt::format("{}_{}", name, joint.name);
  const ex u = symbols_.add(Symbols::Kind::velocity, whole, value, meaning);
  freedoms_[joint.v_offset + k] = {u, GiNaC::ex_to<symbol>(u).get_name()};
  return u;
}

/// A rotation E about an axis that is fixed in both frames. back: against it, from the moving frame to the base.
void Expansion::rotate(Motion& m, const Vec3& axis, const JointData& joint, std::size_t q, std::size_t v, bool back) {
  const ex angle = position(joint, q);
  const auto [c, s] = symbols_.angle(angle);
  const ex sign = back ? -1 : 1;
  const Vector a = numbers(axis);
  Rotation E;
  for (std::size_t k = 0; k < 3; ++k) {  // a aᵀ (1 − c) + c + s ã
    Vector unit;
    unit[k] = 1;
    E.rows[k] = (a[k] * (1 - c)) * a + c * unit + (sign * s) * cross(unit, a);
  }
  turn(m, E);
  const Vector relative =
      (sign * velocity(joint, v, fmt::format("u{}", v + 1), request_.state.v[joint.v_offset + v], "rate, rad/s")) * a;
  m.alpha = symbols_.reduced(m.alpha + cross(m.w, relative));
  m.w = symbols_.reduced(m.w + relative);
  m.W[joint.v_offset + v] = sign * a;
}

void Expansion::slide(Motion& m, const Vec3& axis, const JointData& joint, std::size_t q, std::size_t v, bool back) {
  const Vector a = number(back ? -1 : 1) * numbers(axis);
  const Vector relative =
      velocity(joint, v, fmt::format("u{}", v + 1), request_.state.v[joint.v_offset + v], "rate, m/s") * a;
  shift(m, position(joint, q) * a);
  m.v = symbols_.reduced(m.v + relative);
  m.a = symbols_.reduced(m.a + ex(2) * cross(m.w, relative));
  m.V[joint.v_offset + v] = a;
}

/// From the axes after the ball to those before it, by Euler angles, whose B is noted.
Rotation Expansion::ball_rotation(const JointData& joint, std::size_t body, std::size_t q) {
  const BodyAngles& angles = request_.angles[body];
  const double* quaternion = request_.state.q.data() + joint.q_offset + q;
  const Mat3 R = rotation_matrix(normalized(Quat{quaternion[0], quaternion[1], quaternion[2], quaternion[3]}));
  const Vec3 beta = angles.of(R);
  Rotation whole = Rotation::identity();
  std::array<Vector, 3> columns;  // of B, in the axes before the ball
  for (std::size_t k = 0; k < 3; ++k) {
    const ex angle =
        symbols_.add(Symbols::Kind::position, fmt::format("b{}_{}", k + 1, joint.name), beta[k], "Euler angle, rad");
    const auto [c, s] = symbols_.angle(angle);
    const Vector a = numbers(angles.unit(k));
    columns[k] = whole.times(a);
    Rotation E;
    for (std::size_t r = 0; r < 3; ++r) {
      Vector unit;
      unit[r] = 1;
      E.rows[r] = (a[r] * (1 - c)) * a + c * unit + s * cross(unit, a);
    }
    Rotation product;
    const Rotation Et = E.transposed();
    for (std::size_t r = 0; r < 3; ++r) product.rows[r] = symbols_.reduced(Et.times(whole.rows[r]));
    whole = product;
  }
  Kinematics kinematics{std::string(joint.name), {}};
  for (std::size_t c = 0; c < 3; ++c) {
    const Vector after = symbols_.reduced(whole.back(columns[c]));
    for (std::size_t r = 0; r < 3; ++r) kinematics.rows[r][c] = after[r];
  }
  balls_.push_back(std::move(kinematics));
  return whole;
}

/// free: the three translations before the ball are its v_b.
void Expansion::ball(Motion& m, const JointData& joint, std::size_t body, std::size_t q, std::size_t v, bool free) {
  const double *numbers_q = request_.state.q.data() + joint.q_offset + q,
               *speeds = request_.state.v.data() + joint.v_offset + v;
  const Mat3 R = rotation_matrix(normalized(Quat{numbers_q[0], numbers_q[1], numbers_q[2], numbers_q[3]}));
  const Vec3 spin = transpose_times(R, Vec3{speeds[0], speeds[1], speeds[2]});
  Turned turned{joint.v_offset + v, R, {}, spin, {}, free};
  constexpr const char* axes[] = {"x", "y", "z"};
  Vector speed, relative;
  if (free) {
    const double* along = speeds - 3;
    turned.speed = transpose_times(R, Vec3{along[0], along[1], along[2]});
    Vector place;
    for (std::size_t k = 0; k < 3; ++k) place[k] = position(joint, q - 3 + k);
    shift(m, place);
    for (std::size_t k = 0; k < 3; ++k)
      speed[k] = velocity(joint, v - 3 + k, fmt::format("v{}", axes[k]), turned.speed[k], "velocity, moving axes, m/s");
  }
  turned.E = ball_rotation(joint, body, q);
  turn(m, turned.E);
  for (std::size_t k = 0; k < 3; ++k) {
    m.W[joint.v_offset + v + k][k] = 1;
    if (free) m.V[joint.v_offset + v - 3 + k][k] = 1;
  }
  for (std::size_t k = 0; k < 3; ++k)
    relative[k] = velocity(joint, v + k, fmt::format("w{}", axes[k]), spin[k], "angular velocity, moving axes, rad/s");
  if (free) {
    m.v = symbols_.reduced(m.v + speed);
    m.a = symbols_.reduced(m.a + ex(2) * cross(m.w, speed) + cross(relative, speed));
  }
  m.alpha = symbols_.reduced(m.alpha + cross(m.w, relative));
  m.w = symbols_.reduced(m.w + relative);
  turned_.push_back(turned);
}

/// Through the joint, from its inboard frame to the outboard one.
void Expansion::move(Motion& m, const JointData& joint, std::size_t body) {
  const std::size_t count = joint.primitives.size();
  std::vector<std::size_t> q(count), v(count);
  for (std::size_t k = 1; k < count; ++k) {
    q[k] = q[k - 1] + position_count(joint.primitives[k - 1].kind);
    v[k] = v[k - 1] + velocity_count(joint.primitives[k - 1].kind);
  }
  const auto is_unit = [](const Primitive& p, std::size_t axis) {
    return p.kind == Primitive::Kind::translation && p.axis[axis] == 1 && p.axis[(axis + 1) % 3] == 0 &&
           p.axis[(axis + 2) % 3] == 0;
  };
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t k = joint.reversed ? count - 1 - n : n;
    const Primitive& p = joint.primitives[k];
    if (p.kind == Primitive::Kind::rotation) {
      rotate(m, p.axis, joint, q[k], v[k], joint.reversed);
    } else if (p.kind == Primitive::Kind::ball) {
      ball(m, joint, body, q[k], v[k], false);
    } else if (k + 3 < count && is_unit(p, 0) && is_unit(joint.primitives[k + 1], 1) &&
               is_unit(joint.primitives[k + 2], 2) && joint.primitives[k + 3].kind == Primitive::Kind::ball) {
      ball(m, joint, body, q[k + 3], v[k + 3], true);
      n += 3;
    } else {
      slide(m, p.axis, joint, q[k], v[k], joint.reversed);
    }
  }
}

}  // namespace polyform::apps::formulas
