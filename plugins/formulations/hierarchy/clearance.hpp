// Clearance: variances of the constraints, as an option gives them (Orsino 2017, Eqs 4.17, 4.18).
#pragma once

#include <optional>
#include <string_view>

#include "hierarchy_solver.hpp"
#include "polyform/helpers/compile.hpp"

namespace polyform::hierarchy {

/// Reads "name=R, name[k]=R" into plan.noise: a joint, a constraint element or a module, all its rows or the k-th one.
/// The levels of the plan are known.
std::optional<Refusal> read_clearance(const SystemView&, std::string_view text, Plan&);

}  // namespace polyform::hierarchy
