// Seeded random values, smooth random motions, and rates by differences.
#pragma once

#include <random>

#include "polyform/kinematics.hpp"

namespace polyform::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    const Vec3 v{normal(engine_), normal(engine_), normal(engine_)};
    return (1 / norm(v)) * v;
  }
  Quat quaternion() {
    std::normal_distribution<double> normal;
    return normalized(Quat{normal(engine_), normal(engine_), normal(engine_), normal(engine_)});
  }
  Pose pose() { return {quaternion(), vector(1)}; }

 private:
  std::mt19937_64 engine_;
};

/// d/dt at t = 0 by the five-point difference: exact for polynomials of degree 4.
template <class Function>
auto rate(Function f) {
  constexpr double h = 1e-3;
  return (8 / (12 * h)) * (f(h) - f(-h)) - (1 / (12 * h)) * (f(2 * h) - f(-2 * h));
}

/// Angular velocity of axes R, from dR/dt = ω̃ R.
inline Vec3 angular_velocity(const Mat3& R, const Mat3& R_rate) {
  const Mat3 w = times_transpose(R_rate, R);
  return {0.5 * (w(2, 1) - w(1, 2)), 0.5 * (w(0, 2) - w(2, 0)), 0.5 * (w(1, 0) - w(0, 1))};
}

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
