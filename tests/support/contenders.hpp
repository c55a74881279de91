// Every formulation of the build that can run a system, as comparisons and verifications take them.
#pragma once

#include <catch2/catch.hpp>
#include <deque>
#include <vector>

#include "framework/host/reading/reader.hpp"
#include "framework/workbench/comparison/heat.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

/// All of them with their default options.
inline std::vector<host::Contender> able(const host::System& system) {
  static std::deque<host::Description> storage;
  std::vector<host::Contender> all;
  for (const Formulation* formulation : formulations_for(system)) {
    host::Diagnostics diagnostics;
    all.push_back({formulation, host::read_options(formulation->options(), {}, formulation->name(),
                                                   storage.emplace_back(), diagnostics)});
    REQUIRE(!diagnostics.failed());
  }
  return all;
}

}  // namespace polyform::test
