// The state of a run at a time, so that another run of the same model can go on from there.
#pragma once

#include <cstdint>
#include <vector>

namespace polyform::host::inline simulation {

/// The state vector of the run's equation, and the discrete state of the solver.
struct RunState {
  double time = 0;        ///< s
  std::vector<double> y;  ///< the solver's states, and the work if work may be done
  std::vector<std::int32_t> discrete;
};

}  // namespace polyform::host::inline simulation
