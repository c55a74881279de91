// The state that a model starts from, as the columns of results that a file of a state may have.
#pragma once

#include <cstddef>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/results/channel.hpp"

namespace polyform::host::inline columns {

struct StartColumn {
  Channel channel;
  double value = 0;  ///< in the assembled initial state, in the unit of the channel
  /// Columns with the same number are read together: all coordinates of a joint, all of its velocities, the pose and
  /// velocity of a body. A file that has one of them has to have all.
  std::size_t whole = 0;
};

/// Whether it is a first-order state of an element, not a motion.
inline bool is_element_state(const StartColumn& column) { return !column.channel.group.empty(); }

/// All columns that start_from() takes from a row of results, but for discrete states: coordinates and velocities of
/// the user's joints, `<body>.x` to `<body>.wz` of bodies to which the host gave a free joint, modes of flexible
/// bodies, first-order states of elements. No solver is needed for them.
std::vector<StartColumn> start_columns(const System&);

}  // namespace polyform::host::inline columns
