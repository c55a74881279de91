// Runs in time that a paper's headline, or a goal of the project, speaks of.
#pragma once

#include <span>

#include "framework/registry/registry.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/benchmark/results.hpp"

namespace polyform::benchmark {

/// Rui et al. 2020, Fig. 1 with 500 rods, by RK4 with 0.001 s: their method against others. And the same shape with
/// 33 334 bodies, 100 002 degrees of freedom. Each run is in a process of its own.
std::vector<Run> headline_runs(std::span<const Formulation* const>, const host::Registry&, const Limits&);

}  // namespace polyform::benchmark
