// --sweep step=1e-2,1e-3 and --sweep tolerance=1e-4:1e-10:4.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/comparison/sweep.hpp"

namespace polyform::apps {

struct SweepRequest {
  host::SweepOf what;
  std::vector<double> values;
};
/// A list, or from:to:count in equal ratios. Failure (bad_input) for anything else, and where the integrator does not
/// use what is varied.
SweepRequest read_sweep(const std::string& text, const host::RunSettings&);

}  // namespace polyform::apps
