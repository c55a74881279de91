// Seeded random values, and rates by differences.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::host::inline conformance {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  bool coin() { return integer(0, 1) == 1; }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  std::vector<double> numbers(std::size_t count, double size) {
    std::vector<double> list(count);
    for (double& x : list) x = uniform(-size, size);
    return list;
  }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    const Vec3 v{normal(engine_), normal(engine_), normal(engine_)};
    return (1 / norm(v)) * v;
  }
  Quat quaternion() {
    std::normal_distribution<double> normal;
    return normalized(Quat{normal(engine_), normal(engine_), normal(engine_), normal(engine_)});
  }

 private:
  std::mt19937_64 engine_;
};

/// d/dt at t = 0 by the five-point difference: exact for polynomials of degree 4. h: the step, s.
template <class Function>
auto rate(Function f, double h = 1e-3) -> decltype(f(h)) {
  return (8 / (12 * h)) * (f(h) - f(-h)) - (1 / (12 * h)) * (f(2 * h) - f(-2 * h));
}

/// Angular velocity of axes R, from dR/dt = ω̃ R.
inline Vec3 angular_velocity(const Mat3& R, const Mat3& R_rate) {
  const Mat3 w = times_transpose(R_rate, R);
  return {0.5 * (w(2, 1) - w(1, 2)), 0.5 * (w(0, 2) - w(2, 0)), 0.5 * (w(1, 0) - w(0, 1))};
}

}  // namespace polyform::host::conformance
