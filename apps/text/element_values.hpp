// What an observation says of forces, constraints and modules, by the names that their types give.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::apps {

struct ElementValues {
  std::string_view kind;  ///< force, constraint or module
  std::string_view name;
  std::vector<std::pair<Variable, double>> rates;        ///< d/dt of variables and states; units are those of these
  std::vector<std::pair<Variable, double>> multipliers;  ///< of the rows of a module
  std::vector<std::pair<Variable, double>> outputs;
};

/// Those that have any of these; forces, constraints and modules. time: of the observation. Failures of
/// host::ElementOutputs.
std::vector<ElementValues> element_values(const SystemView&, double time, const Observation&);

}  // namespace polyform::apps
