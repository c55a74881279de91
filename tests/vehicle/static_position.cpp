#include "tests/vehicle/static_position.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace polyform::test {
namespace {

constexpr double g = 9.81;
constexpr double spring_stiffness = 9.16e4, tyre_stiffness = 1.5e5, tyre_radius = 0.35;  // Tables 2.2 and 2.3

/// One side of an axle in the transverse plane of the chassis: y outward from its middle, z up from its mass centre.
/// Pins at `pin`; the arm leads from there to the lower ball (front) or the wheel centre (rear).
struct Axle {
  double x;                    ///< forward of the chassis' mass centre, m
  Eigen::Vector2d pin, top;    ///< of the arm, and of the spring on the chassis
  double arm;                  ///< length, m
  double wheel_above_arm_end;  ///< the wheel centre over the arm's end, m
  double upper_arm_above;      ///< a second arm, parallel; 0: none, the arm carries the wheel's axis
  double wheel_mass;           ///< with the knuckle, kg
  double free_length;          ///< of the spring, m
};
constexpr double arm_mass = 0.5, spring_share = 0.3;

const Axle front{1.1, {0.3, -0.3}, {0.29, -0.075}, std::hypot(0.4, 0.07), 0.12, 0.24, 25, 0.345};
const Axle rear{-1.2, {0.2, -0.1834}, {0.21, 0.065}, std::hypot(0.5, 0.07), 0, 0, 30, 0.362};

/// What a height and a pitch of the chassis and the angle of the arm make of one side.
struct Side {
  double energy, wheel_height, load;
};
Side side_of(const Axle& a, double height, double pitch, double angle) {
  const auto above_road = [&](double z) { return height - std::sin(pitch) * a.x + std::cos(pitch) * z; };
  const Eigen::Vector2d along(std::cos(angle), std::sin(angle));
  const double middle = a.pin.y() + 0.5 * a.arm * along.y();
  const double wheel = above_road(a.pin.y() + a.arm * along.y() + a.wheel_above_arm_end);
  const double spring = (a.pin + spring_share * a.arm * along - a.top).norm();
  // The front wheels stay parallel to the chassis; a rear one leans with its arm. The radius to the road lengthens with
  // the cosine of the angle between the wheel's plane and the road's normal.
  const double lean = a.upper_arm_above > 0 ? 0 : std::cos(pitch) * along.y();
  const double cosine = std::sqrt(1 - lean * lean), compression = tyre_radius - wheel / cosine;
  double energy = g * (arm_mass * above_road(middle) + a.wheel_mass * wheel);
  if (a.upper_arm_above > 0) energy += g * arm_mass * above_road(middle + a.upper_arm_above);
  energy +=
      0.5 * spring_stiffness * std::pow(spring - a.free_length, 2) + 0.5 * tyre_stiffness * compression * compression;
  return {energy, wheel, tyre_stiffness * compression / cosine};
}

/// Potential energy of the whole vehicle; p: height, pitch, angles of the front and rear arms. Both sides are equal.
double energy(const Eigen::Vector4d& p) {
  return 800 * g * p[0] + 2 * side_of(front, p[0], p[1], p[2]).energy + 2 * side_of(rear, p[0], p[1], p[3]).energy;
}

/// Derivative along a coordinate by five points.
template <class Function>
auto slope(const Function& f, const Eigen::Vector4d& p, int coordinate) {
  constexpr double h = 1e-3;
  const Eigen::Vector4d e = h * Eigen::Vector4d::Unit(coordinate);
  return (8 * (f(p + e) - f(p - e)) - (f(p + 2 * e) - f(p - 2 * e))) / (12 * h);
}
Eigen::Vector4d gradient(const Eigen::Vector4d& p) {
  Eigen::Vector4d out;
  for (int i = 0; i < 4; ++i) out[i] = slope(energy, p, i);
  return out;
}
Eigen::Matrix4d curvature(const Eigen::Vector4d& p) {
  Eigen::Matrix4d out;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      out(i, j) = slope([j](const Eigen::Vector4d& at) { return slope(energy, at, j); }, p, i);
  return out;
}

}  // namespace

StaticPosition static_position() {
  Eigen::Vector4d p(0.5, 0, 0, 0);
  for (int i = 0; i < 20; ++i) p -= curvature(p).ldlt().solve(gradient(p));
  const Side f = side_of(front, p[0], p[1], p[2]), r = side_of(rear, p[0], p[1], p[3]);
  return {p[0], p[1], f.wheel_height, r.wheel_height, f.load, r.load};
}

}  // namespace polyform::test
