// Inertia that no body can have and that `lenient` takes: where it leaves a motion with negative kinetic energy.
#pragma once

#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline assembly {

/// Warns where some rates that the joints and constraints allow at the initial state have a negative kinetic energy:
/// the inertia of the joint coordinates is indefinite. Such a system accelerates against what pushes it. Modes of
/// flexible bodies rest. Systems of more than 500 velocities are asked joint by joint, the others held. Of a system
/// whose bodies have no negative principal moment nothing is computed.
void warn_of_negative_inertia(const System::Parts&, Diagnostics&);

}  // namespace polyform::host::inline assembly
