// Parts of the battery of integrators.
#pragma once

#include <memory>
#include <vector>

#include "framework/workbench/conformance/checklist.hpp"
#include "framework/workbench/conformance/integrator_probe.hpp"

namespace polyform::host::inline conformance {

inline constexpr double duration = 4;           ///< of the runs, s: more than half a turn of the ellipse
inline constexpr double some_tolerance = 1e-8;  ///< of runs that look at something else than errors
inline constexpr double some_step = 0.02;       ///< of the same with fixed steps, s

/// Settings of runs that look at something else than errors.
StepSettings usual(const IntegratorChoice&);
/// Systems whose solution is known.
std::vector<std::unique_ptr<KnownSystem>> problems();

/// integrator_orders.cpp: how errors fall with the steps.
void check_order(const IntegratorChoice&, Checklist&);
/// integrator_interruptions.cpp: what a method does after a restart and after a failure.
void check_restart(const IntegratorChoice&, Checklist&);
void check_failures(const IntegratorChoice&, Checklist&);

}  // namespace polyform::host::conformance
