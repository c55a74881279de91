// Columns of Delassus' matrix whose points lie between free bodies: without an evaluation.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "framework/host/unilateral/free_bodies.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline unilateral {

/// What forces along the rows of points do to free bodies, where all points that have columns lie between such bodies
/// or between one of them and ground. Nothing allocates once there were as many points and columns.
class FreeColumns {
 public:
  static constexpr std::size_t three = UnilateralSet::rows_per_point;

  FreeColumns(const SystemView& view, const UnilateralSet& set)
      : set_(set), view_(view), free_(view, set), sums_(view.bodies.size()) {}

  bool is_free(FrameIndex frame) const { return free_.is_free(frame); }
  /// Begins with these points, at the state that the set has evaluated. False if one of them touches anything else.
  bool begin(std::span<const std::size_t> points);
  /// A column: forces along the rows of a point, a place among those of begin().
  void add(std::size_t place, const std::array<double, three>& forces);
  /// What a column changes the rate of a row of a point by.
  double rate(std::size_t column, std::size_t place, std::size_t row) const;
  /// How many numbers each_motion() may tell of.
  std::size_t motions() const { return 6 * sums_.size(); }
  /// Calls see(i, change) for the accelerations that a column changes: of the centre of mass and of turning, ground
  /// axes.
  template <class See>
  void each_motion(std::size_t column, const See& see) const;
  /// Calls see(point, side) for a side of each body whose acceleration by shares of the columns is rounding of a sum
  /// that cancels. base: without them.
  template <class See>
  void each_resting(std::span<const double> shares, const Observation& base, double cancelled, const See& see);

 private:
  struct Side {
    std::size_t body = none;
    Vec3 centre;          ///< of mass, from the origin of the frame, ground axes
    double gyration = 0;  ///< radius of it, m
    FreeBodies::Side response;
  };
  struct Change {
    std::size_t body = none;
    Vec3 linear, angular;
  };
  struct Sum {
    Vec3 linear, angular;
    double linear_size = 0, angular_size = 0;
    double carried = 0;  ///< what turning changes velocities in axes of the body by, or those of its points
    void add(const Vec3& acceleration, const Vec3& turning) {
      linear += acceleration;
      angular += turning;
      linear_size += norm(acceleration);
      angular_size += norm(turning);
    }
    /// gyration: a radius of the body; forces that go through its centre turn it by their rounding.
    bool is_none(double cancelled, double gyration) const {
      return carried <= cancelled * linear_size && norm(linear) <= cancelled * linear_size &&
             gyration * norm(angular) <= cancelled * (gyration * angular_size + linear_size);
    }
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const UnilateralSet& set_;
  const SystemView& view_;
  FreeBodies free_;
  std::vector<std::size_t> points_;
  std::vector<Side> sides_;                     ///< two per point
  std::vector<std::array<Change, 2>> changes_;  ///< per column
  std::vector<Sum> sums_;                       ///< per body
};

template <class See>
void FreeColumns::each_motion(std::size_t column, const See& see) const {
  for (const Change& change : changes_[column]) {
    if (change.body == none) continue;
    std::size_t i = 6 * change.body;
    for (const Vec3* const part : {&change.linear, &change.angular})
      for (std::size_t k = 0; k < 3; ++k) see(i++, (*part)[k]);
  }
}

template <class See>
void FreeColumns::each_resting(std::span<const double> shares, const Observation& base, double cancelled,
                               const See& see) {
  for (const Side& side : sides_) {
    if (side.body == none) continue;
    const Observation::Body& body = base.bodies[side.body];
    const Vec3 &turning = body.angular_acceleration, &omega = body.angular_velocity;
    sums_[side.body] = {};
    sums_[side.body].carried = norm(omega) * (norm(body.velocity) + side.gyration * norm(omega));
    sums_[side.body].add(body.acceleration + cross(turning, side.centre) + cross(omega, cross(omega, side.centre)),
                         turning);
  }
  for (std::size_t c = 0; c < changes_.size(); ++c)
    for (const Change& change : changes_[c])
      if (change.body != none) sums_[change.body].add(shares[c] * change.linear, shares[c] * change.angular);
  for (std::size_t s = 0; s < sides_.size(); ++s)
    if (sides_[s].body != none && sums_[sides_[s].body].is_none(cancelled, sides_[s].gyration))
      see(points_[s / 2], s % 2);
}

}  // namespace polyform::host::inline unilateral
