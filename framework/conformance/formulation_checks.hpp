// The parts of the battery of a formulation.
#pragma once

#include "framework/conformance/batteries.hpp"
#include "framework/conformance/element_systems.hpp"

namespace polyform::host {

/// Random trees and systems with loops that the formulation says it can run.
struct Systems {
  std::vector<Case> trees, loops;
  std::vector<Case> free_trees, free_loops;  ///< without forces
};

/// Motion, accelerations, reactions, energies: against mechanics, and against the other formulations.
void check_mechanics(const Formulation&, const Systems&, const Bench&, Checklist&);
/// Every choice, and the ends of every range.
void check_options(const Formulation&, const Systems&, Checklist&);
/// What it declares to carry, it carries; the rest it refuses in a sentence.
void check_abilities_of(const Formulation&, const Bench&, Checklist&);
/// No allocation after compile, no influence between solvers.
void check_calls(const Formulation&, const Systems&, Checklist&);

}  // namespace polyform::host
