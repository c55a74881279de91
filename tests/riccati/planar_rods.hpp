// Planar rods with pins by the equations of Newton and Euler with all pins as constraints: what the paper's planar
// example is checked against.
#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "paper/transfer_matrix.hpp"

namespace polyform::test {

/// A rod of mass m and length 2a as in the paper's Fig. 2: its state, and its accelerations once solved.
struct Rod {
  static constexpr double m = 1.3, a = 0.4, g = 9.81, J_end = 4 * m * a * a / 3;
  double angle = 0, rate = 0;
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();  ///< of the centre (x, y), and angular

  double c() const { return std::cos(angle); }
  double s() const { return std::sin(angle); }
  /// Point on the axis at `along` from the centre.
  Eigen::Vector2d point(double along) const { return {along * c(), along * s()}; }
  /// Its acceleration.
  Eigen::Vector2d at(double along) const {
    const Eigen::Vector2d r = point(along);
    return acceleration.head<2>() + acceleration[2] * Eigen::Vector2d(-r.y(), r.x()) - rate * rate * r;
  }
  /// The paper's body, with the output end at `along` from the input end (the paper: 2a, of the multi-input body a).
  riccati::paper::RigidBody body(double along = 2 * a) const {
    const Vec3 axis{c(), s(), 0};
    const Mat3 A{{c(), -s(), 0, s(), c(), 0, 0, 0, 1}};
    const Sym3 J{0, J_end, J_end, 0, 0, 0};
    return {m, a * axis, along * axis, rotate(A, J).full(), {0, 0, rate}, {0, -m * g, 0}, {}};
  }
};

/// A pin between points of two rods, or of a rod and ground (b = −1).
struct Pin {
  int rod;
  double along;
  int other = -1;
  double other_along = 0;
  Eigen::Vector2d force = Eigen::Vector2d::Zero();  ///< on `rod`, once solved
};

inline void solve(std::vector<Rod>& rods, std::vector<Pin>& pins) {
  const auto n = 3 * static_cast<Eigen::Index>(rods.size()), k = 2 * static_cast<Eigen::Index>(pins.size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + k, n + k);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n + k);
  for (Eigen::Index i = 0; i < n; i += 3) {
    K.diagonal().segment<3>(i) << Rod::m, Rod::m, Rod::J_end / 4;
    b[i + 1] = -Rod::m * Rod::g;
  }
  for (Eigen::Index p = 0; p < k; p += 2) {
    const Pin& pin = pins[static_cast<std::size_t>(p / 2)];
    const auto tie = [&](int rod, double along, double sign) {
      if (rod < 0) return;
      const Rod& r = rods[static_cast<std::size_t>(rod)];
      const Eigen::Vector2d x = r.point(along);
      Eigen::Matrix<double, 2, 3> A;
      A << 1, 0, -x.y(), 0, 1, x.x();
      K.block<2, 3>(n + p, 3 * rod) += sign * A;
      K.block<3, 2>(3 * rod, n + p) -= sign * A.transpose();
      b.segment<2>(n + p) += sign * r.rate * r.rate * x;
    };
    tie(pin.rod, pin.along, 1);
    tie(pin.other, pin.other_along, -1);
  }
  const Eigen::VectorXd x = K.fullPivLu().solve(b);
  for (std::size_t i = 0; i < rods.size(); ++i) rods[i].acceleration = x.segment<3>(3 * static_cast<Eigen::Index>(i));
  for (std::size_t p = 0; p < pins.size(); ++p) pins[p].force = x.segment<2>(n + 2 * static_cast<Eigen::Index>(p));
}

/// The paper's state vector at a point of a rod. q: what the rod puts on the element after it.
inline Eigen::VectorXd planar_state(const Rod& rod, double along, const Eigen::Vector2d& q) {
  Eigen::VectorXd z(7);
  z << rod.at(along), rod.acceleration[2], 0, q, 1;
  return z;
}

class RandomRods {
 public:
  explicit RandomRods(unsigned seed) : random_(seed) {}
  Rod operator()() { return {uniform(-3, 3), uniform(-3, 3)}; }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

 private:
  std::mt19937 random_;
};

}  // namespace polyform::test
