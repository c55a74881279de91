// One row: every column on one system.
#pragma once

#include <span>

#include "framework/host/registry/registry.hpp"
#include "tests/benchmark/engine.hpp"
#include "tests/benchmark/process.hpp"
#include "tests/benchmark/results.hpp"

namespace polyform::benchmark {

/// What a column runs: one of the two is set.
struct Runner {
  const Formulation* formulation = nullptr;
  std::unique_ptr<Engine> (*engine)() = nullptr;
};

struct Settings {
  double row_seconds = 4;   ///< spent on timing in a row, shared by its columns
  double tolerance = 1e-8;  ///< of accelerations, relative to the largest
  Limits limits;            ///< of one column: to load and evaluate
};

/// Runs in a process of its own. Each column is first tried in a process of its own; those that come back are loaded
/// side by side, their accelerations compared with those of the first, and timed in turns. excluded: why a column is
/// not tried, empty for those that are.
Row measure_row(const SystemInfo&, std::size_t bodies, std::span<const Column> columns, std::span<const Runner> runners,
                std::span<const std::string> excluded, const host::Registry&, const Settings&);

}  // namespace polyform::benchmark
