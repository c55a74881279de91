// Which joints to cut so that loops stay short and have few joints in common.
#pragma once

#include <span>
#include <vector>

#include "framework/host/graph/system_graph.hpp"

namespace polyform::host::inline graph {

/// Cells are the shortest cycles through each joint, as far as they are local. A joint that belongs to several cells is
/// better kept in the tree: cutting it would join their loops to longer ones. Returns for each edge whether the
/// spanning tree leaves it out. The tree keeps first the joints that are held, then those of many cells; among equals
/// it keeps those of `preferred` (a spanning tree). It keeps a joint that asks to be cut only where nothing else
/// connects.
std::vector<char> edges_to_cut(std::size_t vertices, std::span<const GraphEdge> edges,
                               const std::vector<char>& preferred);

}  // namespace polyform::host::graph
