// What the direct correction of closed loops costs: Zhang et al. 2023, Tables 1 to 3 and Fig. 22, as ratios.
#pragma once

#include <vector>

#include "framework/host/registry/registry.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/benchmark/results.hpp"

namespace polyform::benchmark {

/// The paper's examples with the formulation `reduced`: without correction, with the semi-analytic Jacobian, with the
/// one by direct differentiation. The three take turns, `rounds` times, each run in a process of its own; the median of
/// the rounds counts, of ratios that of the ratios within a round. scale: of the simulated times.
std::vector<Correction> correction_runs(const host::Registry&, const Limits&, double scale, int rounds);

}  // namespace polyform::benchmark
