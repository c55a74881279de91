// All that is computed for the formulas of an element, ready to be evaluated.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/host/expressions/formula.hpp"
#include "framework/host/expressions/next_root.hpp"
#include "framework/host/expressions/poles.hpp"
#include "framework/host/expressions/program.hpp"
#include "polyform/helpers/row_reach.hpp"

namespace polyform::host::inline expressions {

/// All programs have the same inputs but `schedule`, which has the time alone. Immutable after construction.
struct FormulaPrograms {
  FormulaPrograms() = default;
  struct Roots {
    std::span<const NodeIndex> values;   ///< formulas in fields, then rates of states
    std::span<const NodeIndex> outputs;  ///< formulas that are shown
    std::span<const NodeIndex> samples;  ///< inputs of the samplers, then values at the start of these and of states
    std::span<const NodeIndex> limits;   ///< of each limit `beyond`, `push`, `without`
  };
  /// inputs: those of all these formulas. The graph gets the expressions of the peaks.
  FormulaPrograms(Formulas&, const Roots&, std::span<const std::uint32_t> inputs);

  Program values, outputs, samples, limits;
  Program switches;  ///< of the values, that depend on the state: each changes its sign where a formula bends or jumps
  Program peaks;     ///< Graph::peaks and turnings of the values that depend on the state
  Poles poles;       ///< of the values
  Program passed;    ///< arguments of tables of the values, that depend on the state
  std::vector<RowReach> reaches;                      ///< of these tables
  TimeRoots schedule;                                 ///< switches and peaks that depend on the time alone
  std::vector<std::string> switch_names, peak_names;  ///< as the formulas write them
};

}  // namespace polyform::host::inline expressions
