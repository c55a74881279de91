// The part of the battery of a module that looks at its equations.
#pragma once

#include "framework/workbench/conformance/module_probe.hpp"

namespace polyform::host::inline conformance {

/// The mass matrix, the rows against differences, energy along a motion that satisfies the equations. The cases have no
/// loops.
void check_module_equations(const ModuleType&, const std::vector<Case>&, Checklist&);

}  // namespace polyform::host::conformance
