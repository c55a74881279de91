// The state of a run at a time, so that another run of the same model can go on from there.
#pragma once

#include <cstdint>
#include <vector>

namespace polyform::host::inline evaluation {

/// The state vector of the run's equation, the discrete state of the solver, and what touches.
struct RunState {
  double time = 0;        ///< s
  std::vector<double> y;  ///< the solver's states, and the work if work may be done
  std::vector<std::int32_t> discrete;
  std::vector<std::int32_t> modes;  ///< UnilateralMode of each point of the rows that hold at times
  std::vector<double> touching;     ///< what UnilateralMotion knows of these points, and what it has counted
};

}  // namespace polyform::host::inline evaluation
