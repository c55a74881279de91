// Which constraints are in the way of a motion: rows that all but depend on others, and rows that a motion breaks.
#pragma once

#include <string>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline assembly {

/// A state of a run at a time, s.
struct MomentOfRun {
  const ConstStateView& state;
  double time;
};

/// Next to a singular position: the joints and constraint elements whose rows together all but vanish, such as "joint
/// `C`", the one with the largest part first, at most three. Empty where no combination of rows is nearly dependent
/// without being dependent, and for systems with many rows, whose combinations take long to find. A combination that
/// nearly vanished at the start of the run too is none: it is of the model, not of the position. The coordinates of cut
/// joints in both states are guesses. Allocates.
std::vector<std::string> nearly_dependent_rows(const SystemView&, const MomentOfRun& start, const MomentOfRun& now);

/// The joint or constraint element whose row the difference of two states at one time breaks: what the row asks of
/// rates changes by about as much as its terms do. Empty if the motion from one to the other meets all rows about as
/// well as a motion of the system does. between: in the middle of them, where factors of rows may vanish. The
/// coordinates of cut joints in all states are set. Allocates.
std::string broken_row(const SystemView&, double t, const StateView& before, const StateView& between,
                       const StateView& after);

}  // namespace polyform::host::assembly
