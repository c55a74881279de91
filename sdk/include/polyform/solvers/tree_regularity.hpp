// Whether the spanning tree of a system with loops can be swept by itself.
#pragma once

#include <string_view>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

/// A sweep eliminates every hinge before the loops further in close: all that hangs on a hinge must have inertia
/// against it without the cut joints. Only bodies without mass or inertia can fail this; then it is tried as drawn.
/// False names joint, body and cut joint to the sink.
bool check_tree_is_regular(const SystemView&, std::string_view formulation, DiagnosticSink&) noexcept;

}  // namespace polyform
