// Whether the spanning tree of a system with loops can be swept by itself.
#pragma once

#include <string_view>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

// A sweep eliminates every hinge before the loops further in close, and all that hangs on a hinge should have inertia
// against it without the cut joints and constraint elements. Only bodies without mass or inertia can fail this; then it
// is tried as drawn.
//
// Rows that tie one body to ground can give what is missing. Where they hold, E · z_b + g = 0, the inertia w E Eᵀ with
// the force w g E puts nothing on the body, whatever the mass w is: S + w E Eᵀ, e + w g E have the same solution, and
// the same multipliers, as S and e (the augmented Lagrangian of the rows).
//
// So such rows always resist in trees with a joint whose own body does not resist it in every state: a tree that is
// regular as drawn may pass a state in which it is not (LoopClosure::hold_ground_rows).
//
// Where nothing of all this moves a hinge, the hinge is postponed until the loops that pass it are closed
// (postponed_hinges.hpp).

/// Whether it can be swept. False names joint and body to the sink.
bool check_tree_is_regular(const SystemView&, std::string_view formulation, DiagnosticSink&) noexcept;

}  // namespace polyform
