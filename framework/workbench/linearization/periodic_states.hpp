// Linear models along a periodic motion (Thompson 2011, after Eq 24: "problems such as rotorcraft that have periodic
// motion result in a linear time varying solution").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/host/integration/integration.hpp"
#include "framework/workbench/linearization/body_states.hpp"
#include "framework/workbench/linearization/multi_blade.hpp"

namespace polyform::host::inline linearization {

/// ẋ = A(t) x + B(t) u, y = C(t) x + D(t) u at equidistant instants of one period, the first at the operating point.
/// The states are deviations along the motion, so that A(t) has the period of the motion.
struct PeriodicStates {
  double period = 0;               ///< s
  std::vector<double> times;       ///< s after the operating point
  std::vector<StateSpace> models;  ///< one per instant
  Eigen::MatrixXd A, B, C, D;      ///< means over the period, by the trapezoidal rule
  Eigen::MatrixXd A_changes;       ///< largest |A(t) − A| of each entry
  double change = 0;               ///< of A(t) over the period, relative to A, in the scales of the states
};

struct PeriodicRequest {
  LinearRequest channels;     ///< inputs and outputs
  std::vector<Rotor> rotors;  ///< whose blades go into multi-blade coordinates at each instant
  /// As of body_angles(), for states in body axes; none: the independent states.
  std::optional<std::string> euler_angles;
  IntegratorChoice integrator;  ///< follows the motion
  double period = 0;            ///< s
  std::size_t instants = 0;     ///< at least 2
};

/// The linearization is that of the point, before multi-blade coordinates. Failure as to_body_states() at each instant,
/// if its states are asked for, and (simulation_failed) where the motion cannot be followed or other coordinates become
/// independent on the way.
PeriodicStates periodic_states(const System&, const SolverMaker&, const OperatingPoint&, const Linearization&,
                               const PeriodicRequest&);

}  // namespace polyform::host::inline linearization
