// Moves states back onto the constraints after each step. Each correction is the least in the metric of the inertia: Eq
// 15 without forces.
#pragma once

#include <vector>

#include "equations.hpp"
#include "generalized_forces.hpp"
#include "placed_tree.hpp"
#include "polyform/contract/formulation.hpp"
#include "reductions.hpp"

namespace polyform::thompson {

/// Reports that a coordinate of q̇2 moves no inertia, or that the state or the forces are not finite; returns false.
bool fail_massless(const SystemView&, std::size_t coordinate, std::span<const double> joints,
                   std::span<const double> efforts, Failure&) noexcept;

class Projection {
 public:
  /// The parts on which and with which it works; they outlive the object.
  struct Parts {
    MovingTree& tree;
    Reductions& reductions;
    ReducedForm& reduced;
    const GeneralizedForces& forces;  ///< of the last evaluation, for messages
    Failure& failure;
  };
  /// tolerance: largest residual that is left, m and rad.
  Projection(const SystemView&, double tolerance, const Parts&);

  /// Moves the joints of the placed tree onto the constraints: Newton's method for positions, then the velocities.
  /// Places the tree and finds its dependent rows. False, with the failure reported, if that is not possible.
  bool close(double t, Correction&) noexcept;

 private:
  bool find_step(Level) noexcept;
  bool cannot_close(std::size_t steps) noexcept;
  bool changes_abruptly(double change, double speed) noexcept;

  const SystemView& view_;
  double tolerance_;
  Parts parts_;
  std::vector<double> udot_, step_;  ///< step: per velocity coordinate of the tree joints,
                                     ///< mode and variable of the modules
  BodyVectors qddot_;
};

}  // namespace polyform::thompson
