// Oscillations in turning axes that are displacements at rest.
#pragma once

#include <vector>

#include "framework/workbench/linearization/modes.hpp"
#include "framework/workbench/linearization/motion_fields.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {

/// Whether the positions of an oscillation are constant in axes that do not turn; it is seen in axes that the fields
/// carry along at these rates.
bool is_drift(const PointModel&, const MotionFields&, const std::vector<double>& rates, const Mode&);

}  // namespace polyform::host::linearization
