// Runs for which a paper, or a goal of the project, names a time.
#pragma once

#include <span>
#include <string_view>

#include "framework/host/registry/registry.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/benchmark/results.hpp"

namespace polyform::benchmark {

/// Names of the runs, each of one paper: Rui et al. 2020 (branch), Attia 2005 (particles), Orsino 2017 (hierarchy),
/// Thompson 2011 (thompson); or of a goal of the project (stiff: stiff rods at a cost linear in their pieces).
std::vector<std::string> headline_names();

/// What the paper compares, one formulation after the other, each run in a process of its own. Formulations that are
/// not given are left out.
std::vector<Run> headline_runs(std::string_view name, std::span<const Formulation* const>, const host::Registry&,
                               const Limits&);

}  // namespace polyform::benchmark
