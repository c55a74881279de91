// The refusal of a start whose rows no rates meet.
#pragma once

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/nearest_rates.hpp"
#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

/// Reports the row that is left, with what takes part in the contradiction. steps: of Newton's method so far.
void report_unmet(Start&, const ConstraintJacobian&, const NearestRates::Missed&, int steps);

}  // namespace polyform::host::inline assembly
