// Linear models in body axes and Euler angles (Thompson 2011, Eqs 22 to 24 and the aircraft of section VI).
#pragma once

#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

/// A linear model in the states of the paper: where a tree joint has a ball, the small rotation gives way to its Euler
/// angles β, by the sequence that is given for its body, its angular velocity to ω_b in body axes, and a velocity along three
/// axes before the ball (a free joint) to v_b. All are over the base body. With x_b = T x along the motion,
///
///   A_b = (T A + Ṫ) T⁻¹     B_b = T B     C_b = C T⁻¹     D_b = D
///
/// T moves with the nominal motion: at constant velocity and in a steady turn A_b does not change.
struct BodyStates {
  std::vector<Channel> states;
  Eigen::MatrixXd A, B, C;
  Eigen::VectorXd values;  ///< of the states at the point
  Eigen::VectorXd rates;   ///< of the same, along the motion
};

/// The model as linearize() gave it. Failure (bad_input) where no joint has a ball, where a joint's states depend on
/// others in part, and at gimbal lock. euler_angles: as of body_angles().
BodyStates to_body_states(const System&, const Linearization&, const std::string& euler_angles);

}  // namespace polyform::host::linearization
