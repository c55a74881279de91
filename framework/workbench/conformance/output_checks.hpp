// What a type offers in addition to its law: outputs for results, and states that follow from the initial motion.
#pragma once

#include "framework/workbench/conformance/bench.hpp"
#include "framework/workbench/conformance/checklist.hpp"
#include "framework/workbench/conformance/element_systems.hpp"

namespace polyform::host::inline conformance {

/// Checks the first group of forces, constraints or modules of each case, whose type is meant. Nothing is claimed of a
/// type without outputs, and nothing of one whose batches have no InitialStates.
template <class Type>
void check_offers(const Type&, const std::vector<Case>&, const Bench&, Checklist&);

}  // namespace polyform::host::conformance
