#include "framework/workbench/linearization/motion_fields.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "framework/dense_equations.hpp"

namespace polyform::host::inline linearization {
namespace {

constexpr double still = 1e-12;  ///< a velocity that is rounding, relative to the largest

Vec3 vector_at(const std::vector<double>& numbers, std::size_t first) {
  return {numbers[first], numbers[first + 1], numbers[first + 2]};
}
void put(const Vec3& v, std::vector<double>& numbers, std::size_t first) {
  for (std::size_t k = 0; k < 3; ++k) numbers[first + k] = v[k];
}
Quat quaternion_at(const std::vector<double>& numbers, std::size_t first) {
  return {numbers[first], numbers[first + 1], numbers[first + 2], numbers[first + 3]};
}

/// exp(a t).
Quat turned(const Vec3& a, double t) {
  const double rate = norm(a);
  if (rate == 0) return {1, 0, 0, 0};
  const double half = 0.5 * rate * t, s = std::sin(half) / rate;
  return {std::cos(half), s * a.x, s * a.y, s * a.z};
}

/// ∫ exp(a τ) dτ from 0 to t, of a vector: t s + (1 − cos φ)/a² a×s + (φ − sin φ)/a³ a×(a×s), φ = a t.
Vec3 carried(const Vec3& a, double t, const Vec3& s) {
  const double rate = norm(a), phi = rate * t;
  double first = 0.5 * t * t, second = t * t * t / 6;
  constexpr double series_serves = 1e-4;  // next term: 1e-9 of the first, where the formula loses 1e-8
  if (std::abs(phi) > series_serves) {
    first = (1 - std::cos(phi)) / (rate * rate);
    second = (phi - std::sin(phi)) / (rate * rate * rate);
  }
  const Vec3 once = cross(a, s);
  return t * s + first * once + second * cross(a, once);
}

Eigen::Vector3d eigen(const Vec3& v) { return {v.x, v.y, v.z}; }

/// Displacement of the translations, or their velocity, as a vector.
Vec3 along(const Eigen::Matrix3Xd& axes, const double* coordinates) {
  Vec3 out;
  for (Eigen::Index k = 0; k < axes.cols(); ++k) out += coordinates[k] * Vec3{axes(0, k), axes(1, k), axes(2, k)};
  return out;
}
void put_along(const Eigen::MatrixX3d& inverse, const Vec3& v, double* coordinates) {
  Eigen::Map<Eigen::VectorXd>(coordinates, inverse.rows()) = inverse * eigen(v);
}

}  // namespace

MotionFields::MotionFields(const SystemView& view, const CanonicalState& state, std::span<const double> state_rates)
    : view_(view), structures_(view.bodies.size()) {
  double fastest = 0;
  for (std::size_t k = 0; k < view.nv_tree; ++k) fastest = std::max(fastest, std::abs(state.v[k]));
  for (std::size_t j = 0; j < view.bodies.size(); ++j) {
    const JointData& joint = view.joints[j];
    const double* v = state.v.data() + joint.v_offset;
    if (std::any_of(v, v + joint.nv, [&](double x) { return std::abs(x) > still * fastest; })) add_joint(j);
  }
  double largest = 0;
  for (const double x : state_rates) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < state_rates.size(); ++k)
    if (std::abs(state_rates[k]) > still * largest) fields_.push_back({MotionField::Kind::state, k, 0, {}});
}

void MotionFields::add_joint(std::size_t j) {
  using Kind = MotionField::Kind;
  const JointData& joint = view_.joints[j];
  Structure& s = structures_[j];
  const auto shift = [&](std::size_t k) { fields_.push_back({Kind::shift, j, k, {}}); };
  if (joint.kernel != nullptr) {
    for (std::size_t k = 0; k < joint.nv; ++k) shift(k);
    return;
  }
  const std::span<const Primitive> p = joint.primitives;
  while (s.translations < p.size() && p[s.translations].kind == Primitive::Kind::translation) ++s.translations;
  s.axes.resize(3, static_cast<Eigen::Index>(s.translations));
  for (std::size_t k = 0; k < s.translations; ++k) s.axes.col(static_cast<Eigen::Index>(k)) = eigen(p[k].axis);
  s.inverse.resize(static_cast<Eigen::Index>(s.translations), 3);
  if (s.translations > 0) s.inverse = pseudo_inverse(s.axes);
  const bool last = p.size() == s.translations + 1;
  s.ball = last && p.back().kind == Primitive::Kind::ball;
  s.rotation = p.size() > s.translations && p[s.translations].kind == Primitive::Kind::rotation;
  if (s.rotation) s.axis = p[s.translations].axis;
  std::size_t velocity = 0;
  for (const Primitive& primitive : p) {
    if (primitive.kind != Primitive::Kind::ball) shift(velocity);
    velocity += velocity_count(primitive.kind);
  }
  constexpr Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vec3& axis : axes)
    if (s.ball) fields_.push_back({Kind::turn_in_body, j, 0, axis});
  // Spread out in space the translations can be turned about any axis, in a plane about its normal.
  std::vector<Vec3> turns;
  if (s.translations == 3 || (s.translations == 0 && s.ball)) turns.assign(std::begin(axes), std::end(axes));
  if (s.translations == 2) {
    const Vec3 normal = cross(p[0].axis, p[1].axis);
    turns = {(1 / norm(normal)) * normal};
  }
  if (s.translations == 1 && s.ball) turns = {p[0].axis};
  constexpr double parallel = 1e-9;  // the sine between axes that the model draws as one
  if (s.rotation && s.translations > 0)
    std::erase_if(turns, [&](const Vec3& a) { return norm(cross(a, s.axis)) > parallel; });
  for (const Vec3& axis : turns) fields_.push_back({Kind::turn_in_base, j, 0, axis});
  // About a single axis the body is carried across it.
  const bool across = s.rotation && last && !turns.empty() && s.translations > 1;
  s.carries = (s.translations == 3 && s.ball) || across;
  if (!s.carries) return;
  const Vec3 aside = std::abs(s.axis.x) < 0.6 * norm(s.axis) ? axes[0] : axes[1];
  const Vec3 one = cross(s.axis, aside), other = cross(s.axis, one);
  if (across)
    for (const Vec3& axis : {(1 / norm(one)) * one, (1 / norm(other)) * other})
      fields_.push_back({Kind::carry, j, 0, axis});
  else
    for (const Vec3& axis : axes) fields_.push_back({Kind::carry, j, 0, axis});
}

Quat MotionFields::orientation(std::size_t j, const CanonicalState& state) const {
  const Structure& s = structures_[j];
  const std::size_t at = view_.joints[j].q_offset + s.translations;
  return s.ball ? quaternion_at(state.q, at) : turned(s.axis, state.q[at]);
}

Vec3 MotionFields::turning(std::size_t j, std::span<const double> velocities) const {
  const Structure& s = structures_[j];
  const std::size_t at = view_.joints[j].v_offset + s.translations;
  return s.ball ? Vec3{velocities[at], velocities[at + 1], velocities[at + 2]} : velocities[at] * s.axis;
}

void MotionFields::add(std::size_t k, double c, const CanonicalState& state, FieldRates& out) const {
  const MotionField& field = fields_[k];
  if (field.kind == MotionField::Kind::state) {
    out.xdot[field.joint] += c;
    return;
  }
  const JointData& joint = view_.joints[field.joint];
  const Structure& s = structures_[field.joint];
  double *w = out.w.data() + joint.v_offset, *vdot = out.vdot.data() + joint.v_offset;
  const std::size_t ball = s.translations;
  const auto put_in = [&](const Vec3& by, double* to) {
    for (std::size_t i = 0; i < 3; ++i) to[i] += c * by[i];
  };
  const auto put_translations = [&](const Vec3& by, double* to) {
    const Eigen::VectorXd coordinates = s.inverse * eigen(by);
    for (std::size_t i = 0; i < s.translations; ++i) to[i] += c * coordinates[static_cast<Eigen::Index>(i)];
  };
  const auto R = [&] { return rotation_matrix(orientation(field.joint, state)); };
  const auto omega = [&] { return turning(field.joint, state.v); };
  switch (field.kind) {
    case MotionField::Kind::shift: w[field.index] += c; break;
    case MotionField::Kind::turn_in_body: put_in(R() * field.axis, w + ball); break;
    case MotionField::Kind::carry: {
      const Vec3 by = R() * field.axis;
      put_translations(by, w);
      put_translations(cross(omega(), by), vdot);
      break;
    }
    case MotionField::Kind::turn_in_base:
      if (s.translations > 0) {
        put_translations(cross(field.axis, along(s.axes, state.q.data() + joint.q_offset)), w);
        put_translations(cross(field.axis, along(s.axes, state.v.data() + joint.v_offset)), vdot);
      }
      if (s.ball) {
        put_in(field.axis, w + ball);
        put_in(cross(field.axis, omega()), vdot + ball);
      }
      if (s.rotation) w[s.translations] += c * dot(field.axis, s.axis);
      break;
    case MotionField::Kind::state: break;
  }
}

FieldRates MotionFields::sum(std::span<const double> c, const CanonicalState& state) const {
  FieldRates out(view_);
  for (std::size_t k = 0; k < c.size(); ++k)
    if (c[k] != 0) add(k, c[k], state, out);
  return out;
}

MotionFields::JointMotionRates MotionFields::rates_of(std::size_t j, std::span<const double> c) const {
  JointMotionRates out;
  out.shift.assign(view_.joints[j].nv, 0.0);
  for (std::size_t k = 0; k < c.size(); ++k) {
    const MotionField& field = fields_[k];
    if (field.kind == MotionField::Kind::state || field.joint != j) continue;
    if (field.kind == MotionField::Kind::shift) out.shift[field.index] += c[k];
    if (field.kind == MotionField::Kind::turn_in_body) out.body_turn += c[k] * field.axis;
    if (field.kind == MotionField::Kind::carry) out.body_shift += c[k] * field.axis;
    if (field.kind == MotionField::Kind::turn_in_base) out.base_turn += c[k] * field.axis;
  }
  const Structure& s = structures_[j];
  out.base_shift = along(s.axes, out.shift.data());
  if (s.rotation && s.carries) out.body_turn = out.shift[s.translations] * s.axis;
  return out;
}

CanonicalState MotionFields::carry(const CanonicalState& from, std::span<const double> c, double t) const {
  CanonicalState out = from;
  std::vector<char> moves(view_.bodies.size());
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (fields_[k].kind == MotionField::Kind::state)
      out.x[fields_[k].joint] += c[k] * t;
    else
      moves[fields_[k].joint] = true;
  }
  for (std::size_t j = 0; j < moves.size(); ++j)
    if (moves[j]) carry_joint(j, rates_of(j, c), t, out);
  return out;
}

void MotionFields::carry_joint(std::size_t j, const JointMotionRates& rates, double t, CanonicalState& state) const {
  const JointData& joint = view_.joints[j];
  const Structure& s = structures_[j];
  double *q = state.q.data() + joint.q_offset, *v = state.v.data() + joint.v_offset;
  if (joint.kernel != nullptr) {  // at constant v along q̇ = N(q) v, by the classical Runge-Kutta method
    constexpr int steps = 256;
    const double h = t / steps;
    double k1[most_joint_positions], k2[most_joint_positions], k3[most_joint_positions], k4[most_joint_positions],
        at[most_joint_positions];
    const auto slope = [&](const double* k, double share, double* out) {
      for (std::size_t i = 0; i < joint.nq; ++i) at[i] = q[i] + (k ? share * h * k[i] : 0);
      joint_position_step(joint, at, rates.shift.data(), out);
    };
    for (int n = 0; n < steps; ++n) {
      slope(nullptr, 0, k1), slope(k1, 0.5, k2), slope(k2, 0.5, k3), slope(k3, 1, k4);
      for (std::size_t i = 0; i < joint.nq; ++i) q[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      joint_normalize(joint, q);
    }
    return;
  }
  const Quat turn = turned(rates.base_turn, t);
  const Mat3 T = rotation_matrix(turn);
  if (s.translations > 0) {
    Vec3 d = along(s.axes, q) + carried(-rates.base_turn, t, rates.base_shift), speed = along(s.axes, v);
    if (s.carries) {
      const Vec3 through = rotation_matrix(orientation(j, state)) * carried(rates.body_turn, t, rates.body_shift);
      d += through;
      speed += cross(turning(j, state.v), through);
    }
    put_along(s.inverse, T * d, q);
    put_along(s.inverse, T * speed, v);
  }
  if (s.ball) {
    const std::size_t at = joint.q_offset + s.translations;
    const Quat now = turn * quaternion_at(state.q, at) * turned(rates.body_turn, t);
    state.q[at] = now.w, state.q[at + 1] = now.x, state.q[at + 2] = now.y, state.q[at + 3] = now.z;
    const std::size_t spin = joint.v_offset + s.translations;
    put(T * vector_at(state.v, spin), state.v, spin);
    return;
  }
  std::size_t position = s.translations;  // no ball among what follows, or it is not the last and stays
  std::size_t velocity = s.translations;
  for (std::size_t k = s.translations; k < joint.primitives.size(); ++k) {
    const Primitive& p = joint.primitives[k];
    if (p.kind != Primitive::Kind::ball) q[position] += t * rates.shift[velocity];
    if (k == s.translations && s.rotation) q[position] += t * dot(rates.base_turn, s.axis);
    position += position_count(p.kind);
    velocity += velocity_count(p.kind);
  }
}

void MotionFields::carry_accelerations(const CanonicalState& from, std::span<const double> c, double t,
                                       std::span<double> vdot) const {
  for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const Structure& s = structures_[j];
    if (joint.kernel != nullptr || (s.translations < 2 && !s.ball)) continue;
    const JointMotionRates rates = rates_of(j, c);
    const Mat3 T = rotation_matrix(turned(rates.base_turn, t));
    double* a = vdot.data() + joint.v_offset;
    if (s.translations > 0) {
      Vec3 linear = along(s.axes, a);
      if (s.carries) {
        const Vec3 through = rotation_matrix(orientation(j, from)) * carried(rates.body_turn, t, rates.body_shift);
        const Vec3 omega = turning(j, from.v);
        linear += cross(turning(j, vdot), through) + cross(omega, cross(omega, through));
      }
      put_along(s.inverse, T * linear, a);
    }
    if (s.ball) {
      double* spin = a + s.translations;
      const Vec3 alpha = T * Vec3{spin[0], spin[1], spin[2]};
      for (std::size_t k = 0; k < 3; ++k) spin[k] = alpha[k];
    }
  }
}

std::string MotionFields::describe(std::span<const double> c) const {
  std::string text;
  std::vector<char> told(view_.bodies.size());
  const auto say = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  for (std::size_t k = 0; k < c.size(); ++k) {
    const MotionField& field = fields_[k];
    if (field.kind == MotionField::Kind::state || told[field.joint]) continue;
    told[field.joint] = true;
    const JointData& joint = view_.joints[field.joint];
    const JointMotionRates rates = rates_of(field.joint, c);
    const auto turn = [&](const Vec3& a, const char* of) {
      const double rate = norm(a);
      if (rate == 0) return;
      constexpr double shown_share = 1e-6;  // of the rate: less is rounding of a direction
      const auto round = [&](double x) { return std::abs(x) < shown_share * rate ? 0.0 : x / rate; };
      say(fmt::format("`{}` turns about [{:.4g}, {:.4g}, {:.4g}] of its {} at {:.5g} rad/s", joint.name, round(a.x),
                      round(a.y), round(a.z), of, rate));
    };
    turn(rates.base_turn, "base");
    turn(rates.body_turn, "body");
  }
  return text;
}

double MotionFields::fastest_turn(std::span<const double> c) const {
  double fastest = 0;
  for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointMotionRates rates = rates_of(j, c);
    fastest = std::max({fastest, norm(rates.base_turn), norm(rates.body_turn)});
    std::size_t velocity = 0;
    for (const Primitive& p : joint.primitives) {
      if (p.kind == Primitive::Kind::rotation) fastest = std::max(fastest, std::abs(rates.shift[velocity]));
      velocity += velocity_count(p.kind);
    }
  }
  return fastest;
}

}  // namespace polyform::host::linearization
