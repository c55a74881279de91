// What accelerations that were found leave of the constraints that close the tree.
#pragma once

#include <cstddef>
#include <span>

#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/loop_closure.hpp"

namespace polyform {

/// The worst contradiction among the constraints that close a tree.
struct LoopContradiction {
  double part = 0;       ///< largest error of a row, relative to the accelerations that act or could
  std::size_t loop = 0;  ///< where, in the order of the layout
};

/// Accelerations of the cut joints, and the test of all rows. Nothing allocates after construction.
class LoopAccelerations {
 public:
  /// The arguments outlive the object.
  LoopAccelerations(const SystemView& view, const LoopClosure& loops) : view_(view), loops_(loops), scales_(view) {}

  /// After the outward sweep: writes d/dt of the velocity coordinates of the cut joints to their places in canonical
  /// order. frames: as evaluated; accelerations: of their origins. A row that depends on others and contradicts them is
  /// left unmet.
  LoopContradiction find(std::span<const BodyMotion> frames, std::span<const Spatial> accelerations,
                         std::span<double> vdot) const noexcept;

 private:
  double largest_acceleration(std::span<const BodyMotion> frames,
                              std::span<const Spatial> accelerations) const noexcept;
  double missed_by_cut(std::size_t i, std::span<const BodyMotion> frames, std::span<const Spatial> accelerations,
                       std::span<double> vdot) const noexcept;

  const SystemView& view_;
  const LoopClosure& loops_;
  SystemScales scales_;
};

}  // namespace polyform
