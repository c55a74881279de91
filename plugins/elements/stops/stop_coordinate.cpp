#include "stop_coordinate.hpp"

#include <cmath>

#include "polyform/helpers/joint_coordinates.hpp"

namespace polyform::stops {

namespace {

// The sine of an angle whose direction is rounding.
constexpr double least_sine = 1e-14;

}  // namespace

/// With Q = (w, e) the rotation, a the axis before and b = Q a the axis behind, ḃ = ω × b:
///
///             cos θ     sin θ n     d/dt(sin θ n) · ω
///   swing     a · b     a × b       (ω × a) · (ω × b)
///   whole     w² − e²   2 w e       w² ω² − (ω · e)²
///
/// and so θ̇ = n · ω,  θ̈ = n · ω̇ + (d/dt(sin θ n) · ω − cos θ θ̇²)/sin θ.
StopValue BallAngle::at(const double* q, const double* v) const noexcept {
  const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0] / size;
  const Vec3 e{q[1] / size, q[2] / size, q[3] / size}, omega{v[0], v[1], v[2]};
  double cosine = 0, turning = 0;
  Vec3 along;
  if (is_whole_) {
    const double part = dot(omega, e);
    cosine = w * w - dot(e, e);
    along = 2 * w * e;
    turning = w * w * dot(omega, omega) - part * part;
  } else {
    const Vec3 across = 2 * cross(e, axis_), behind = axis_ + w * across + cross(e, across);
    cosine = dot(axis_, behind);
    along = cross(axis_, behind);
    turning = dot(cross(omega, axis_), cross(omega, behind));
  }
  const double sine = norm(along);
  StopValue out;
  out.value = std::atan2(sine, cosine);
  if (!(sine > least_sine)) return out;
  out.slope = (1 / sine) * along;
  out.rate = dot(out.slope, omega);
  out.bias = (turning - cosine * out.rate * out.rate) / sine;
  return out;
}

BallPlace ball_of(const JointShape& joint) noexcept {
  BallPlace at{0, 0};
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::ball) return at;
    if (p.kind == Primitive::Kind::rotation) break;
    at = {at.q + position_count(p.kind), at.v + velocity_count(p.kind)};
  }
  return {joint.nq, joint.nv};
}

StopCoordinate::StopCoordinate(const JointShape& joint, const Choice& choice, std::size_t first_q, std::size_t first_v)
    : first_v_(first_v), is_ball_(choice.kind != Kind::coordinate) {
  const BallPlace place =
      is_ball_ ? ball_of(joint) : BallPlace{position_of_rate(joint, choice.coordinate), choice.coordinate};
  q_ = first_q + place.q;
  v_ = first_v + place.v;
  if (choice.kind == Kind::swing) ball_ = BallAngle(choice.axis);
}

StopValue StopCoordinate::at(const ForceInput& in) const noexcept {
  if (is_ball_) return ball_.at(in.q.data() + q_, in.v.data() + v_);
  return {in.q[q_], in.v[v_], 0, {1, 0, 0}};
}

void StopCoordinate::push(double force, const StopValue& at, std::span<double> efforts) const noexcept {
  for (std::size_t k = 0; k < velocities(); ++k) efforts[v_ + k] += force * at.slope[k];
}

}  // namespace polyform::stops
