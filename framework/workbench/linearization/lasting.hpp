// Whether a state without accelerations goes on so, or balances for an instant.
#pragma once

#include <string>

#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

/// What becomes of a state in which nothing accelerates.
struct Lasting {
  bool lasts = true;
  double time = 0;  ///< s after the point: when it was found that it does not
  std::string why;  ///< of what does not last
};

/// Follows a state at constant rates to later times: within a turn, within √2 times the run and within a period of each
/// sine in time, but not beyond the next knot of a function of time. A pendulum that swings through its lowest
/// position does not accelerate for an instant, and a force that is a sine of time vanishes for one. Ramps and tables
/// may be held as they are.
Lasting find_lasting(const System&, const SolverMaker&, const OperatingPoint&, const MinimalCoordinates&);

}  // namespace polyform::host::linearization
