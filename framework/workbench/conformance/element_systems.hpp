// Systems with elements of one type, and what all formulations say of them.
#pragma once

#include "framework/workbench/conformance/bench.hpp"
#include "framework/workbench/conformance/checklist.hpp"
#include "framework/workbench/conformance/state.hpp"

namespace polyform::host::inline conformance {

/// A system with instances of the type under test at a state in motion.
struct Case {
  Sample sample;
  State state;
  double time = 0;
  bool driven = false;  ///< a constraint in it does work of its own, which no formulation observes
};

/// Random systems of a few bodies with so many instances of a force, constraint or module type; loop: closed by one
/// joint more.
template <class Type>
std::vector<Case> cases_of(const Type& type, std::string_view section, const Bench&, int count, int instances,
                           bool loop = false);

/// A flexible body between ground and a rigid body, held by random joints. The second function takes the first flexible
/// type that can be made.
Sample flexible_model(const FlexibleBodyType&, const Bench&, std::uint64_t seed);
Sample flexible_model(const Bench&, std::uint64_t seed);

/// One claim per formulation: on all cases it agrees with the first formulation that runs them, and its energy changes
/// by the power that it observes. balanced: also checks Newton's and Euler's equations (no flexible bodies, no
/// constraint elements).
void check_in_formulations(const std::vector<Case>&, bool balanced, const Bench&, Checklist&);

}  // namespace polyform::host::conformance
