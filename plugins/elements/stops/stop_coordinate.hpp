// The number of a joint on which a stop acts: a coordinate, or an angle of a ball.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/force.hpp"

namespace polyform::stops {

/// A stop acts on a number of its joint, which has as many slopes as velocities that it depends on.
struct StopValue {
  double value = 0;
  double rate = 0;  ///< slope · v
  double bias = 0;  ///< its acceleration is slope · v̇ + bias
  Vec3 slope;       ///< of a coordinate 1, 0, 0
};

/// An angle by which a ball joint is turned from the drawn pose: of the whole rotation, or between an axis of the frame
/// before the ball and the same axis of the frame after it. From 0 to π; at 0, and at π, it has no slope.
class BallAngle {
 public:
  BallAngle() = default;
  explicit BallAngle(const Vec3& axis) : axis_(axis), is_whole_(false) {}

  /// q: the quaternion; v: the angular velocity in the axes before the ball.
  StopValue at(const double* q, const double* v) const noexcept;

 private:
  Vec3 axis_{};
  bool is_whole_ = true;
};

/// The number of one instance, and where it stands among the coordinates of its batch.
class StopCoordinate {
 public:
  enum class Kind { coordinate, swing, turn };
  /// What a model says.
  struct Choice {
    Kind kind = Kind::coordinate;
    std::size_t coordinate = 0;  ///< a velocity of the joint that is the rate of a coordinate
    Vec3 axis{};                 ///< of a swing
  };
  /// first_q, first_v: of the joint.
  StopCoordinate(const JointShape&, const Choice&, std::size_t first_q, std::size_t first_v);

  std::size_t velocity() const { return v_ - first_v_; }  ///< the first one, among those of the joint
  std::size_t velocities() const { return is_ball_ ? 3 : 1; }
  StopValue at(const ForceInput& in) const noexcept;
  /// Adds a force along the number to the efforts of the batch.
  void push(double force, const StopValue& at, std::span<double> efforts) const noexcept;

 private:
  std::size_t q_ = 0, v_ = 0;  ///< the first ones, among those of the batch
  std::size_t first_v_ = 0;    ///< of the joint
  bool is_ball_ = false;
  BallAngle ball_{};
};

/// The first ball of a joint, as places of its quaternion and its angular velocity; nq and nv if there is none whose
/// frame before it is that of the base.
struct BallPlace {
  std::size_t q, v;
};
BallPlace ball_of(const JointShape&) noexcept;

/// Of all instances of a batch, whose joints follow each other. Each has one joint. choose: Choice of an instance.
template <class Choose>
std::vector<StopCoordinate> stop_coordinates(Strided<const ElementInstance> instances, const Choose& choose) {
  std::vector<StopCoordinate> all;
  std::size_t q = 0, v = 0;
  for (const ElementInstance& instance : instances) {
    const JointShape& joint = instance.joints[0];
    all.emplace_back(joint, choose(instance), q, v);
    q += joint.nq;
    v += joint.nv;
  }
  return all;
}

}  // namespace polyform::stops
