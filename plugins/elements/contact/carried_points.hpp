// The points of contact of many pairs of bodies, and how they go on along the motion.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/force.hpp"
#include "shape_pair.hpp"

namespace polyform::contact {

inline Vec3 velocity_at(const MarkerMotion& body, const Vec3& point) noexcept {
  return body.velocity + cross(body.angular_velocity, point - body.position);
}

/// Of each pair of bodies the points of all their shapes (ShapePair::Points::carried). Its motions are those of the
/// frames of the two bodies.
class CarriedPoints {
 public:
  /// How a point goes on: rates of its place and of its normal along the motion of the bodies.
  struct Course {
    Vec3 velocity, turn;
  };

  explicit CarriedPoints(Strided<const ElementInstance>);

  std::size_t pairs() const noexcept { return pairs_.size(); }
  std::size_t points() const noexcept { return found_.size(); }
  std::size_t first(std::size_t pair) const noexcept { return pairs_[pair].first_point; }
  std::size_t points(std::size_t pair) const noexcept { return pairs_[pair].points; }
  /// The points of a pair, valid until the next call for it. Where the bodies stand as they stood last, nothing is
  /// looked for.
  std::span<const ContactPoint> find(std::size_t pair, const MarkerMotion& first, const MarkerMotion& second) noexcept;
  /// How far the surfaces of a pair are apart at least, m, below zero where that is not known, and a speed that they do
  /// not come near each other faster than, m/s.
  struct Bound {
    double apart, speed;
  };
  Bound bound(std::size_t pair, const MarkerMotion& first, const MarkerMotion& second) const noexcept;
  /// Whether a point that find() gave may have forces soon: others have no course.
  bool is_near(std::size_t pair, const ContactPoint&) const noexcept;
  /// Looks for the points a little before and after those that find() gave, where any of them is near.
  void look_around(std::size_t pair, const MarkerMotion& first, const MarkerMotion& second) noexcept;
  /// The course of a point of that pair, which is near.
  Course course(std::size_t pair, std::size_t point, const MarkerMotion& first) const noexcept;

 private:
  /// Where two bodies stand, number by number.
  using Poses = std::array<double, 24>;
  struct Pair {
    std::size_t first_shapes = 0, shapes = 0;  ///< pairs of them
    std::size_t first_point = 0, points = 0;
    double size = 0;  ///< of the smallest shape, m
    Poses poses{};    ///< where its points were found; of no bodies at first
  };
  static constexpr std::array steps{-2.0, -1.0, 1.0, 2.0};
  static Poses poses_of(const MarkerMotion& first, const MarkerMotion& second) noexcept;
  static bool is_same(const ContactPoint& then, const ContactPoint& now, double size) noexcept;
  void locate(const Pair&, const Placement& first, const Placement& second, std::span<ContactPoint> out) noexcept;

  std::vector<Pair> pairs_;
  std::vector<ShapePair> shapes_;
  std::vector<ContactPoint> found_;
  std::array<std::vector<ContactPoint>, steps.size()> nearby_;  ///< of the pair that was looked around at last
  double step_ = 0;                                             ///< in time, between these; 0 if nothing moves, s
};

}  // namespace polyform::contact
