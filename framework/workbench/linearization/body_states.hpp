// Linear models in body axes and Euler angles (Thompson 2011, Eqs 22 to 24 and the aircraft of section VI).
#pragma once

#include "framework/workbench/linearization/state_space.hpp"

namespace polyform::host::inline linearization {

/// The linear model in the states of the paper. For a tree joint with a ball, the Euler angles β of its body, by the
/// sequence given for that body, take the place of the small rotation, ω_b in body axes that of the angular velocity,
/// and v_b that of a velocity along three axes before the ball (a free joint). All are relative to the base body. With
/// x_b = T x along the motion,
///
///   A_b = (T A + Ṫ) T⁻¹     B_b = T B     C_b = C T⁻¹     D_b = D
///
/// T moves with the nominal motion: at constant velocity and in a steady turn A_b does not change.
///
/// Takes the model as linearize() gave it. Failure (bad_input) if no joint has a ball, if a joint's states depend on
/// others in part, and at gimbal lock. euler_angles: as of body_angles().
StateSpace to_body_states(const System&, const Linearization&, const std::string& euler_angles);

}  // namespace polyform::host::linearization
