// Accelerations from the Newton–Euler equations of all bodies with the joints as constraints, solved densely in 113-bit
// numbers with complete pivoting: the independent answer for systems whose masses differ by many orders of magnitude.
// It takes of a system its data alone, and shares with the formulations what joints and forces are at a state.
#pragma once

#include <vector>

#include "framework/host/assembly/system.hpp"

namespace polyform::test {

/// Accelerations of the frame origins at the initial state, ground axes. For rigid bodies; no row of a joint may depend
/// on others, and no constraint element or module act.
std::vector<Spatial> quad_accelerations(const host::System&);

}  // namespace polyform::test
