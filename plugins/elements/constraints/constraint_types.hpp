// The standard constraints beyond joints, and the friction that makes them non-ideal.
#pragma once

#include "polyform/contract/constraint_element.hpp"

namespace polyform::constraints {

/// Two directions of a drawing count as one if their angle is smaller: the plane that they span is lost in rounding of
/// data.
inline constexpr double least_sine_as_drawn = 1e-3;

const ConstraintType& rolling_disc() noexcept;        ///< a disc on a plane, without slip
const ConstraintType& knife_edge() noexcept;          ///< a point that does not move sideways
const ConstraintType& prescribed_motion() noexcept;   ///< joint coordinates as functions of time
const ConstraintType& joint_coupling() noexcept;      ///< a joint coordinate as a polynomial of another
const ConstraintType& formula_constraint() noexcept;  ///< rows that a model writes as formulas
const ForceType& sliding_friction() noexcept;         ///< Coulomb's law with a given normal load

}  // namespace polyform::constraints
