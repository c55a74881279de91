// The values of modules in an observation, by the names that their types give.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::apps {

struct ModuleValues {
  std::string_view name;
  std::vector<std::pair<Variable, double>> rates;        ///< d/dt of variables and states; units are those of these
  std::vector<std::pair<Variable, double>> multipliers;  ///< of its rows
};

std::vector<ModuleValues> module_values(const SystemView&, const Observation&);

}  // namespace polyform::apps
