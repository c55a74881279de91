// Masses and joints decide which joints close the loops.
#pragma once

#include <span>
#include <vector>

#include "framework/host/assembly/parts.hpp"

namespace polyform::host::inline assembly {

/// How much each joint is wanted in the spanning tree. joints: of the description, in its order, defined.
std::vector<Hold> holds_of(const Description&, Strided<const JointData> joints);

/// The forest over the edges. Where cuts beside bodies without any mass make an evaluation much cheaper than others,
/// the holds of these are given up, in the edges too.
SpanningForest choose_forest(const Description&, Strided<const JointData> joints, std::vector<GraphEdge>& edges);

/// Warns where the joints that the model asks to cut make an evaluation much more expensive than the cuts that the host
/// would choose, with both figures and the joint.
void warn_of_costly_cuts(const System::Parts&, Strided<const JointData> joints, std::span<const GraphEdge> edges,
                         Diagnostics&);

}  // namespace polyform::host::assembly
