// Constraints that all but depend on others: they are taken as dependent in all formulations, and that is said.
#pragma once

#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline assembly {

/// The part by which rows that are taken as dependent are independent of the others at a state, relative to their size;
/// zero if it is no more than rounding.
double nearly_dependent_part(const SystemView&, double t, const ConstStateView&);

/// Names the joint or element whose rows are independent of the others by more than rounding, but by too little to
/// count.
void warn_of_dependent_rows(const System::Parts&, Diagnostics&);

}  // namespace polyform::host::assembly
