// Elements that switch, as strangers would write them, and runs of models with them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/host/simulation/simulate.hpp"
#include "framework/workbench/comparison/comparison.hpp"
#include "polyform/contract/force.hpp"

namespace polyform::test {

/// `ball-contact`: an elastic force of two spheres about markers a and b; with `tells: false` it offers no events.
/// `flip`: a force of one newton against the velocity along x, whose sign is an event: it chatters at rest.
/// `gust`: a force along x from `start` on for `length`, by a schedule of its own, whose number is no function of time.
std::unique_ptr<host::System> system_with_switches(const std::string& text);
/// With further force types, which outlive it.
std::unique_ptr<host::System> system_with_types(const std::string& text, std::span<const ForceType* const> types);

/// The state at the end, and the record. Rows are not kept.
struct Ended {
  host::RunRecord record;
  std::vector<double> times;
  std::vector<Vec3> positions, velocities, angular_velocities;  ///< of all bodies, in the order of the view
  std::vector<Quat> orientations;
};
Ended run_to_end(const host::System&, const Formulation&, const host::RunSettings&);

/// All integrators with their usual settings: one for the step of rk4, the others adaptive.
std::vector<host::RunSettings> settings_of_all_integrators(double duration, double step);

}  // namespace polyform::test
