// Solvers of this formulation with options, and what compares them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "framework/reading/reader.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

using SolverOptions = std::vector<std::pair<std::string, std::string>>;

inline host::SolverPointer solver_with(const host::System& system, const SolverOptions& options) {
  const Formulation& formulation = *registry().catalog().formulations.at("particles");
  host::Diagnostics diagnostics;
  host::Description storage;
  const std::vector<FieldValue> values =
      host::read_options(formulation.options(), options, formulation.name(), storage, diagnostics);
  REQUIRE(!diagnostics.failed());
  return host::compile(formulation, system.view(), values);
}

/// Relative to the largest element of a, or one.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(a[i]));
  }
  return worst / size;
}

}  // namespace polyform::test
