#include "euler_angles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace polyform::thompson {
namespace {

constexpr double turn = 2 * std::numbers::pi;
/// The cosine of an angle may exceed 1 by this: the rounding of products of unit vectors.
constexpr double rounding_of_cosine = 1e-9;

Mat3 rotation(const Vec3& axis, double angle) { return axis_rotation(axis, std::cos(angle), std::sin(angle)); }
double nearest(double angle, double hint) { return angle + turn * std::round((hint - angle) / turn); }

/// Angle about a unit axis that turns one direction into another, seen along the axis.
double angle_between(const Vec3& axis, const Vec3& from, const Vec3& to) {
  const Vec3 p = from - dot(axis, from) * axis, r = to - dot(axis, to) * axis;
  return std::atan2(dot(axis, cross(p, r)), dot(p, r));
}

/// A direction at right angles to a unit axis.
Vec3 across(const Vec3& a) {
  const Vec3 e = std::abs(a.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return cross(a, e);
}

}  // namespace

double EulerSequence::clearance(const double* beta) const noexcept {
  const Vec3 first = cross(axes[0], axes[1]);
  return dot(first, rotation(axes[1], beta[1]) * axes[2]) / (norm(first) * norm(cross(axes[1], axes[2])));
}

Quat EulerSequence::quaternion(const double* beta) const noexcept {
  return axis_angle(axes[0], beta[0]) * axis_angle(axes[1], beta[1]) * axis_angle(axes[2], beta[2]);
}

void EulerSequence::rates(const double* beta, const Vec3& omega, double* betadot) const noexcept {
  const Mat3 R1 = rotation(axes[0], beta[0]);
  const Vec3 b1 = axes[0], b2 = R1 * axes[1], b3 = R1 * (rotation(axes[1], beta[1]) * axes[2]);
  const Vec3 across_first = cross(b2, b3);
  const double determinant = dot(b1, across_first);
  betadot[0] = dot(omega, across_first) / determinant;
  betadot[1] = dot(omega, cross(b3, b1)) / determinant;
  betadot[2] = dot(omega, cross(b1, b2)) / determinant;
}

/// The second angle follows from a1 · R2 a3 = a1 · R a3, which has two solutions; the others from the rotation that is
/// left.
bool EulerSequence::angles(const Quat& orientation, double* beta) const noexcept {
  const Mat3 R = rotation_matrix(orientation);
  const Vec3 &a1 = axes[0], &a2 = axes[1], &a3 = axes[2];
  const Vec3 last = R * a3;
  const double along = dot(a1, a2) * dot(a2, a3);
  const double c = dot(a1, a3) - along, s = dot(a1, cross(a2, a3));
  const double cosine = (dot(a1, last) - along) / std::hypot(c, s);
  if (!(std::abs(cosine) < 1 + rounding_of_cosine)) return false;
  const double best = std::atan2(s, c), spread = std::acos(std::clamp(cosine, -1.0, 1.0));
  double least = 0, found[3]{};
  for (const double side : {1.0, -1.0}) {
    double b[3];
    b[1] = best + side * spread;
    const Mat3 R2 = rotation(a2, b[1]);
    b[0] = angle_between(a1, R2 * a3, last);
    const Vec3 mark = across(a3);
    b[2] = angle_between(a3, mark, transpose_times(rotation(a1, b[0]) * R2, R * mark));
    double distance = 0;
    for (int k = 0; k < 3; ++k) {
      b[k] = nearest(b[k], beta[k]);
      distance += std::abs(b[k] - beta[k]);
    }
    if (side > 0 || distance < least) {
      least = distance;
      std::copy_n(b, 3, found);
    }
  }
  std::copy_n(found, 3, beta);
  return true;
}

StateVector::StateVector(const SystemView& view, std::vector<EulerSequence> sequences, DiscreteValues& discrete)
    : view_(view), joints_(view), sequences_(std::move(sequences)), discrete_(discrete) {
  std::sort(sequences_.begin(), sequences_.end(), [](const auto& a, const auto& b) { return a.joint < b.joint; });
  for (const EulerSequence& s : sequences_)
    sides_.push_back(discrete_.add(view_.joints[s.joint].name, "side of gimbal lock", 0, 1));
  kinds_.resize(size());
  walk([&](std::size_t from, std::size_t to,
           std::size_t count) { std::copy_n(joints_.kinds().data() + from, count, kinds_.data() + to); },
       [&](std::size_t, std::size_t, std::size_t angles) { std::fill_n(&kinds_[angles], 3, StateKind::position); });
}

/// Walks through both vectors in step: calls copy(first of JointState, first of y, count) for parts that are equal, and
/// ball(sequence, quaternion, angles) for balls.
template <class Copy, class Ball>
void StateVector::walk(Copy copy, Ball ball) const noexcept {
  std::size_t from = 0, to = 0;
  for (std::size_t s = 0; s < sequences_.size(); ++s) {
    const std::size_t quaternion = view_.joints[sequences_[s].joint].q_offset + sequences_[s].offset;
    copy(from, to, quaternion - from);
    to += quaternion - from;
    ball(s, quaternion, to);
    from = quaternion + 4;
    to += 3;
  }
  copy(from, to, joints_.size() - from);
}

void StateVector::to_joints(std::span<const double> y, std::span<double> joints) const noexcept {
  walk([&](std::size_t from, std::size_t to,
           std::size_t count) { std::copy_n(y.data() + to, count, joints.data() + from); },
       [&](std::size_t s, std::size_t quaternion, std::size_t angles) {
         const Quat q = sequences_[s].quaternion(y.data() + angles);
         std::copy_n(&q.w, 4, joints.data() + quaternion);
       });
}

bool StateVector::from_joints(std::span<const double> joints, std::span<double> y, std::size_t& failed) const noexcept {
  bool reached = true;
  walk([&](std::size_t from, std::size_t to,
           std::size_t count) { std::copy_n(joints.data() + from, count, y.data() + to); },
       [&](std::size_t s, std::size_t quaternion, std::size_t angles) {
         const double* q = joints.data() + quaternion;
         if (sequences_[s].angles({q[0], q[1], q[2], q[3]}, y.data() + angles)) return;
         reached = false;
         failed = s;
       });
  return reached;
}

void StateVector::start(std::span<const double> joints, std::span<double> y) const noexcept {
  walk([](std::size_t, std::size_t, std::size_t) {},
       [&](std::size_t s, std::size_t quaternion, std::size_t angles) {
         double* beta = y.data() + angles;
         const double* q = joints.data() + quaternion;
         if (dot(sequences_[s].quaternion(beta), Quat{q[0], q[1], q[2], q[3]}) < 0)
           beta[0] += beta[0] > 0 ? -turn : turn;
         discrete_.put(sides_[s], sequences_[s].clearance(beta) < 0 ? 1 : 0);
       });
}

bool StateVector::rates(std::span<const double> y, std::span<const double> joint_rates, std::span<double> ydot,
                        std::size_t& failed) const noexcept {
  bool clear = true;
  walk([&](std::size_t from, std::size_t to,
           std::size_t count) { std::copy_n(joint_rates.data() + from, count, ydot.data() + to); },
       [&](std::size_t s, std::size_t, std::size_t angles) {
         const EulerSequence& sequence = sequences_[s];
         const double* beta = y.data() + angles;
         const double side = discrete_[sides_[s]] != 0 ? -1 : 1;
         if (!(sequence.clearance(beta) * side > EulerSequence::least_clearance)) {
           clear = false;
           failed = s;
           return;
         }
         const double* v = y.data() + velocities_at() + view_.joints[sequence.joint].v_offset + sequence.velocity;
         sequence.rates(beta, {v[0], v[1], v[2]}, ydot.data() + angles);
       });
  return clear;
}

}  // namespace polyform::thompson
