// The standard joints, all of them sequences of primitive motions. Coordinates are zero (identity) as drawn.
#pragma once

#include "polyform/joint.hpp"

namespace polyform::joints {

const JointType& fixed() noexcept;  ///< no coordinates
const JointType& revolute() noexcept;  ///< angle about axis
const JointType& prismatic() noexcept;  ///< displacement along axis
const JointType& cylindrical() noexcept;  ///< displacement along axis, angle about it
const JointType& planar() noexcept;  ///< displacements along axis2 and axis × axis2, angle about axis, the normal
const JointType& universal() noexcept;  ///< angle about axis (fixed in base), angle about axis2 (fixed in moving)
const JointType& spherical() noexcept;  ///< unit quaternion w x y z; angular velocity in base axes
const JointType& free() noexcept;  ///< displacement of the moving frame origin, then as spherical; base axes

}  // namespace polyform::joints
