// The laws of forces as steps of the general kernel of devices.
#pragma once

#include <cstdint>
#include <vector>

#include "../lanes/general_tables.hpp"
#include "polyform/solvers/lane_evaluation.hpp"

namespace polyform::tracing {

struct LawProgram {
  std::vector<lanes::LawStep> steps;
  std::uint32_t values = 0;  ///< that steps leave for later ones, at a time
};

/// What acts on a world whose laws are told, by numbers that stay open; no step where nothing acts.
LawProgram law_program(const LaneWorld&);

}  // namespace polyform::tracing
