// Checks whether solvers observe the same at one state, and whether it obeys mechanics.
#pragma once

#include <set>
#include <string>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/conformance/state.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline conformance {

/// Largest differences between two observations, relative to the largest value of their kind (at least 1).
struct Difference {
  double motion = 0, coordinates = 0, acceleration = 0, reaction = 0, energy = 0;
};
/// undetermined: joints whose reactions redundant constraints leave open; these reactions are not compared.
Difference difference(const SystemView&, const Observation&, const Observation&,
                      const std::set<std::size_t>& undetermined);
/// The joints of a system whose reactions are not unique.
std::set<std::size_t> undetermined_joints(const System&);

/// Newton's and Euler's equations of every body with the observed reactions and the applied forces, relative to the
/// largest force. No formulation uses the equations in this form. Not for systems with flexible bodies or constraint
/// elements.
double newton_euler_error(const SystemView&, const State&, double t, const Observation&);
/// How far the observed accelerations miss what the constraints allow (assembly/acceleration_misfit.hpp).
double acceleration_misfit(const SystemView&, double t, const Observation&);

}  // namespace polyform::host::conformance
