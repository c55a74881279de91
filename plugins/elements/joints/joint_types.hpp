// The standard joints. All but the cam and the moving hinge are sequences of primitive motions. Coordinates are zero
// (identity) as drawn.
#pragma once

#include "polyform/contract/joint.hpp"

namespace polyform::joints {

const JointType& fixed() noexcept;        ///< no coordinates
const JointType& revolute() noexcept;     ///< angle about axis
const JointType& prismatic() noexcept;    ///< displacement along axis
const JointType& cylindrical() noexcept;  ///< displacement along axis, angle about it
const JointType& planar() noexcept;       ///< displacements along axis2 and axis × axis2, angle about axis, the normal
const JointType& universal() noexcept;    ///< angle about axis (fixed in base), angle about axis2 (fixed in moving)
const JointType& spherical() noexcept;    ///< unit quaternion w x y z; angular velocity in base axes
const JointType& free() noexcept;         ///< displacement of the moving frame origin, then as spherical; base axes

// Single constraints of which joints are made: the rest of the motion is free.
const JointType& perpendicular() noexcept;   ///< displacements of the point in base axes, then as universal
const JointType& parallel() noexcept;        ///< displacements of the point in base axes, angle about axis
const JointType& point_on_line() noexcept;   ///< displacement along axis, then as spherical
const JointType& point_on_plane() noexcept;  ///< displacements along axis2 and axis × axis2, then as spherical

const JointType& cam() noexcept;           ///< angle about axis, which lifts along it by a table
const JointType& moving_hinge() noexcept;  ///< angle about axis, which functions of time turn and shift

}  // namespace polyform::joints
