// Checks of a solution: residuals of the rows, numbers that are not finite, and motions that have no inertia.
#pragma once

#include <span>

#include "polyform/mechanics/scale.hpp"
#include "loads.hpp"
#include "saddle_point.hpp"

namespace polyform::absolute {

/// Whether the evaluated motions and rows are finite: false names the joint or element that is not.
bool check_finite(const Model&, Failure&) noexcept;

/// Whether the inertia determines all accelerations at the evaluated motions: false names a body that has no mass or
/// inertia for a motion which the joints leave free. Overwrites the problem.
bool check_regular(const Model&, const Scales&, LinearProblem&, SaddlePoint&) noexcept;

/// Whether accelerations meet all rows, those that depend on others too.
class RowCheck {
 public:
  /// The row that is missed by the largest part of what acts on it or could.
  struct Missed {
    std::size_t constraint = 0;
    double part = 0;
  };

  /// All arguments outlive the object.
  RowCheck(const Model&, const Scales&, const Loads&, const LinearProblem&);

  /// given_way: what rows that are not rigid may miss, or empty.
  Missed worst(std::span<const double> given_way) noexcept;
  /// Whether that is too much for constraints that can be met: more than the part `least`, off the constraints more.
  bool is_contradiction(const Missed&, double least) const noexcept;

 private:
  const Model& model_;
  const Scales& scales_;
  const Loads& loads_;
  const LinearProblem& problem_;
  SystemScales system_scales_;
  Residual residual_;
};

}  // namespace polyform::absolute
