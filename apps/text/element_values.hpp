// What an observation tells of forces, constraints and modules, by the names that their types give.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::apps {

struct ElementValues {
  std::string_view kind;  ///< force, constraint or module
  std::string_view name;
  std::vector<std::pair<Variable, double>> rates;  ///< d/dt of variables and states; units are those of these
  /// The multiplier of a row of a module or of a constraint.
  struct Multiplier {
    std::string name, unit;
    double value;
    std::size_t row = 0;  ///< of a constraint or module, as in ConstraintCount::open_rows
  };
  std::vector<Multiplier> multipliers;
  std::vector<std::pair<Variable, double>> outputs;
  std::vector<std::pair<Variable, double>>
      held;  ///< values of states without a rate (HeldStates), such as forces of contact
};

/// Whether redundant constraints leave the multiplier of a constraint's or module's row open.
bool is_open(const ElementValues&, const ElementValues::Multiplier&, const host::ConstraintCount&);

/// The values of all elements that have any: forces, constraints and modules. time: of the observation. Throws the
/// failures of host::ElementOutputs.
std::vector<ElementValues> element_values(const SystemView&, double time, const Observation&);

}  // namespace polyform::apps
