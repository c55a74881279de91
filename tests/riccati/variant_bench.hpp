// Solvers of the riccati plugin with given options, and how far they are from the default.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/workbench.hpp"

namespace polyform::test {

using Options = std::vector<std::pair<std::string, std::string>>;
/// The three combinations of algorithm and branches other than the default.
std::vector<Options> all_variants();
std::string text_of(const Options&);

host::SolverPointer solver_with(const host::System&, const Options&);

/// Largest differences of an observation from the default's, relative to the largest value of its kind (at least 1).
/// Infinite, with the reason, when the variant fails.
struct Difference {
  double acceleration = 0, reaction = 0;
  std::string failure;
};
Difference difference_from_default(const host::System&, const Options&);

/// A hanging chain of n rods of 1 m on ball hinges, at 45 degrees.
std::string chain_model(int n);

/// Where a run with the model's settings ends.
struct Ending {
  std::vector<double> q;
  double violation = 0;  ///< largest, m or rad
  std::string failure;
};
Ending ending_of(const host::System&, const Options&);

}  // namespace polyform::test
