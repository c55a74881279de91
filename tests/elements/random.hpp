// Random poses and smooth random motions, in addition to the random values and differences of the conformance kit.
#pragma once

#include "framework/workbench/conformance/random.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::test {

class Random : public host::Random {
 public:
  using host::Random::Random;
  Pose pose() { return {quaternion(), vector(1)}; }
};
using host::angular_velocity;
using host::rate;

/// A rigid motion known with its velocity and acceleration: R = Rot(a, φ) Rot(b, ψ) R0, with φ, ψ, p quadratic in time.
class SmoothMotion {
 public:
  explicit SmoothMotion(Random& random)
      : a_(random.direction()),
        b_(random.direction()),
        R0_(rotation_matrix(random.quaternion())),
        p_(random.vector(1)),
        v_(random.vector(2)),
        acceleration_(random.vector(3)),
        phi_(random.vector(2)),
        psi_(random.vector(2)) {}

  BodyMotion at(double t) const {
    const Mat3 Ra = turn(a_, phi_, t), Rb = turn(b_, psi_, t);
    return {Ra * (Rb * R0_),
            p_ + t * v_ + (0.5 * t * t) * acceleration_,
            {speed(phi_, t) * a_ + speed(psi_, t) * (Ra * b_), v_ + t * acceleration_}};
  }
  Spatial acceleration(double t) const {
    const Vec3 wa = speed(phi_, t) * a_, b = turn(a_, phi_, t) * b_;
    return {phi_.z * a_ + psi_.z * b + speed(psi_, t) * cross(wa, b), acceleration_};
  }

 private:
  static Mat3 turn(const Vec3& axis, const Vec3& c, double t) {
    const double angle = c.x + t * (c.y + 0.5 * t * c.z);
    return axis_rotation(axis, std::cos(angle), std::sin(angle));
  }
  static double speed(const Vec3& c, double t) { return c.y + t * c.z; }

  Vec3 a_, b_;
  Mat3 R0_;
  Vec3 p_, v_, acceleration_, phi_, psi_;  ///< phi_, psi_: angle, rate, rate of rate
};

inline double distance(const Vec3& a, const Vec3& b) { return norm(a - b); }
inline double distance(const Spatial& a, const Spatial& b) {
  return norm(a.angular - b.angular) + norm(a.linear - b.linear);
}
inline double distance(const Mat3& a, const Mat3& b) {
  double worst = 0;
  for (std::size_t i = 0; i < 9; ++i) worst = std::max(worst, std::abs(a.m[i] - b.m[i]));
  return worst;
}
inline double distance(const BodyMotion& a, const BodyMotion& b) {
  return distance(a.R, b.R) + distance(a.p, b.p) + distance(a.V, b.V);
}

}  // namespace polyform::test
