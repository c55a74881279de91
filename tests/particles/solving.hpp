// Solvers of this formulation with options, and functions that compare their results.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/workbench.hpp"

namespace polyform::test {

inline host::SolverPointer solver_with(const host::System& system, const SolverOptions& options) {
  return solver_for(system, *registry().catalog().formulations.at("particles"), options);
}

/// The largest difference, relative to the largest element of a, or to 1.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(a[i]));
  }
  return worst / size;
}

}  // namespace polyform::test
