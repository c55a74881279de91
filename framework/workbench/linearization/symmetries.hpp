// Symmetries of a system: fields along which its motions may be carried.
//
// A field ξ is a symmetry of ẋ = f(x) where the commutator [f, ξ] = f′ξ − ξ′f vanishes.
#pragma once

#include <Eigen/Core>

#include "framework/workbench/linearization/motion_fields.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {

/// Sums of fields that commute with the rates of a system.
struct Symmetries {
  Eigen::MatrixXd basis;  ///< fields × independent symmetries; those that leave the axes of the bases alone come first
  Eigen::Index plain = 0;  ///< how many these are
};

/// Found from the commutators at states near the nominal one, which are taken by extrapolated differences.
Symmetries find_symmetries(const PointModel&, const MotionFields&);
/// Takes all sums of fields as if they were symmetries.
Symmetries all_sums(const MotionFields&);

}  // namespace polyform::host::linearization
