// The motions of joints as steps from a carrier to its body, and their coordinates in an engine whose rates of a ball
// stand in the axes that the ball leads to. C++17, as the headers of some engines are.
#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <vector>

#include "carried_body.hpp"

namespace polyform::witnesses {

/// One motion, in the direction in which the engine takes it.
struct MotionStep {
  Motion::Kind kind = Motion::Kind::turn;
  bool reversed = false;
  std::size_t q = 0, u = 0;  ///< first ones in the order of EngineTree

  double sign() const { return reversed ? -1 : 1; }
  /// The turn of a ball of the system: from the axes after it to those before it.
  Eigen::Matrix3d turn(const double* positions) const {
    const double* const given = positions + q;
    return Eigen::Quaterniond(given[0], given[1], given[2], given[3]).toRotationMatrix();
  }
  /// Rates, accelerations or efforts of a ball: to those of the engine, and back.
  Eigen::Vector3d to_engine(const double* positions, const double* values) const {
    const Eigen::Vector3d given(values[u], values[u + 1], values[u + 2]);
    return reversed ? Eigen::Vector3d(-given) : Eigen::Vector3d(turn(positions).transpose() * given);
  }
  void from_engine(const double* positions, const Eigen::Vector3d& found, double* values) const {
    const Eigen::Vector3d given = reversed ? Eigen::Vector3d(-found) : Eigen::Vector3d(turn(positions) * found);
    for (std::size_t k = 0; k < 3; ++k) values[u + k] = given[static_cast<Eigen::Index>(k)];
  }
};

/// Counts the coordinates of EngineTree.
class MotionNumbers {
 public:
  /// The last steps are those of this joint. Numbers stand in the order of its motions, steps from carrier to body.
  template <class Step>
  void give(const Carrying& joint, std::vector<Step>& steps) {
    const std::size_t n = joint.motions.size(), first = steps.size() - n;
    for (std::size_t k = 0; k < n; ++k) {
      Step& step = steps[first + (joint.reversed ? n - 1 - k : k)];
      step.q = positions_;
      step.u = velocities_;
      positions_ += joint.motions[k].positions();
      velocities_ += joint.motions[k].velocities();
    }
  }

 private:
  std::size_t positions_ = 0, velocities_ = 0;
};

}  // namespace polyform::witnesses
