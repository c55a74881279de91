// Oscillations that are displacements at rest, seen in turning axes.
#pragma once

#include <vector>

#include "framework/workbench/linearization/modes.hpp"
#include "framework/workbench/linearization/motion_fields.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {

/// Whether the positions of an oscillation, seen in axes that are carried along by the fields at these rates, stay
/// where they are to those who stand still.
bool is_drift(const PointModel&, const MotionFields&, const std::vector<double>& rates, const Mode&);

}  // namespace polyform::host::linearization
