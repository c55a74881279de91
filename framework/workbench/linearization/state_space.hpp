// A linear model in one choice of states.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

/// ẋ = A x + B u, y = C x + D u of deviations x, u and y from the motion.
struct StateSpace {
  std::vector<Channel> states;
  Eigen::MatrixXd A, B, C, D;
  Eigen::VectorXd values;  ///< of the states at the point
  Eigen::VectorXd rates;   ///< of the same, along the motion
};

/// In the states of the linearization itself: independent coordinates, their velocities, first-order states.
StateSpace in_independent_states(const Linearization&);

}  // namespace polyform::host::linearization
