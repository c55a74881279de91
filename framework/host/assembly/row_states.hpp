// States of elements from the row of results that a model starts from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

/// A first-order state of an element as a column of results.
struct StateColumn {
  std::string name;
  std::string_view unit;
  std::size_t index = 0;  ///< into the first-order states of the system
  bool held = false;      ///< changes at events only (HeldStates)
};
/// All first-order states of a system that a row can give: not what only the process that wrote the row knows how to
/// read, such as the numbers of states that an FMU was in.
std::vector<StateColumn> state_columns(const SystemView&);

/// Writes those first-order and discrete states of elements that the row has (Description::start_row).
void take_states_of_row(Start&);

/// For a start at a later time: warns of states that the row lacks, and of elements that keep a part of their state to
/// themselves. These begin anew, and polyform resume would go on with them.
void warn_of_states_begun_anew(const Start&);

}  // namespace polyform::host::inline assembly
