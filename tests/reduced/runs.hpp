// Runs of the formulation with given options.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/workbench.hpp"

namespace polyform::test {

using Options = std::vector<std::pair<std::string, std::string>>;

/// What a run leaves at its end, and the largest constraint violations of its rows.
struct Course {
  std::vector<double> q, v;                    ///< of all joints at the end
  std::vector<std::vector<double>> positions;  ///< q at each row
  std::vector<double> violations;              ///< m or rad, at each row
  double position_violation = 0, velocity_violation = 0;
  double energy_change = 0;  ///< largest, J
  std::string failure;
};

struct Pace {
  double duration = 1, step = 0.001, interval = 0.1;  ///< s
};

/// RK4 with a fixed step.
Course run(const host::System&, const std::string& formulation, const Options&, const Pace&);
/// Why the options are refused; empty when they are not.
std::string refusal(const host::System&, const Options&);
/// Largest difference of the coordinates and velocities at the end.
double distance(const Course&, const Course&);

}  // namespace polyform::test
