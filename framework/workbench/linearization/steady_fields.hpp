// What a steady motion of balls and free bodies asks of a state: that it moves along a symmetry.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "framework/workbench/linearization/steady_motion.hpp"

namespace polyform::host::inline linearization {

/// Coordinates, their state and their scales, as linearize() would have them, without its matrices.
Linearization frame_of(const SystemView&, double time, const CanonicalState&, const MinimalCoordinates&);

/// Measures how far a state is from moving along a symmetry ξ: v − ξ_v of the coordinates of balls and free bodies,
/// v̇ − ξ_v̇ of all, with the ξ for which this is least. Other coordinates may go on at any rate.
class SteadyFields {
 public:
  /// The symmetries are looked for near a state with the system's velocities. All arguments outlive the object.
  SteadyFields(const System&, const SolverMaker&, const OperatingPoint&, const MinimalCoordinates&);

  /// Whether there are symmetries by which balls or free bodies turn; without, there is nothing to measure.
  bool any() const { return symmetries_.basis.cols() > 0; }
  /// Coordinates whose velocities are measured.
  const std::vector<std::size_t>& coordinates() const { return turning_; }
  /// Takes ξ from the accelerations of all coordinates; misfits: v − ξ_v of coordinates(), times the rate of the
  /// motion, as accelerations.
  void remove(const CanonicalState&, std::span<double> vdot, Eigen::VectorXd& misfits) const;

 private:
  Linearization frame_;
  PointModel model_;
  std::optional<MotionFields> fields_;
  Symmetries symmetries_;
  std::vector<std::size_t> turning_;
  double rate_ = 1;
};

}  // namespace polyform::host::linearization
