// The standard forces.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::forces {

const ForceType& spring_damper() noexcept;             ///< along the line between two points
const ForceType& rotational_spring_damper() noexcept;  ///< about one to three Euler angles between two bodies
const ForceType& joint_force() noexcept;          ///< given efforts on a joint's velocity coordinates; never potential
const ForceType& joint_spring_damper() noexcept;  ///< on a joint's coordinates
const ForceType& latch() noexcept;        ///< catches a joint's coordinate at a place and lets it go; never potential
const ForceType& point_force() noexcept;  ///< given force and moment at a point of a body; never potential
const ForceType& cable() noexcept;        ///< along the line through any number of points, where it is taut
const ForceType& inertial_sensor() noexcept;  ///< no force: tells specific force and turning rate of a body

}  // namespace polyform::forces
