// Couplings between joints and points: gears, screws, belts, cams, rods, and the joints of shafts and curves.
#pragma once

#include "polyform/contract/constraint_element.hpp"
#include "polyform/contract/joint.hpp"

namespace polyform::couplings {

const ConstraintType& gear() noexcept;             ///< two toothed wheels
const ConstraintType& rack_and_pinion() noexcept;  ///< a toothed wheel and a rack
const ConstraintType& screw() noexcept;            ///< a displacement that follows an angle
const ConstraintType& belt() noexcept;             ///< pulleys on a belt or chain that does not slip
const ConstraintType& differential() noexcept;     ///< a cage and two shafts
const ConstraintType& planetary_gear() noexcept;   ///< sun, ring and carrier
const ConstraintType& cam_profile() noexcept;      ///< a follower whose lift is a table over the angle of a cam
const ConstraintType& distance_rod() noexcept;     ///< two points at a constant distance
const JointType& constant_velocity() noexcept;     ///< two shafts at an angle that turn alike
const JointType& point_on_curve() noexcept;        ///< a point of a body on a curve of another

}  // namespace polyform::couplings
