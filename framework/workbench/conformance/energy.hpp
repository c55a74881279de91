// Energy along the motion that a solver integrates.
#pragma once

#include "framework/host/integration/integration.hpp"
#include "framework/workbench/conformance/state.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline conformance {

/// Largest change of the total energy over a run from the state, relative to the largest kinetic energy or change of
/// the potential one (at least 1 J), for a system whose forces all have a potential. The integrator
/// works at tight tolerances; duration in s.
double energy_drift(const Formulation&, const SystemView&, const State&, const IntegratorChoice&, double duration);

/// |dE/dt − power| at the state, by differences along dy/dt, relative to the power and to energies per second (at least
/// 1 W).
double power_error(const Formulation&, const SystemView&, const State&, double t = 0);

}  // namespace polyform::host::conformance
