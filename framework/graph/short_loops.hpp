// Which joints to cut so that loops stay short and pass few hinges in common.
#pragma once

#include <span>
#include <vector>

#include "framework/graph/system_graph.hpp"

namespace polyform::host {

/// Cells are the shortest cycles through each joint, as far as they are local. A joint that belongs to several cells is
/// better kept in the tree: cut, it would join their loops to longer ones. Returns for each edge whether it is left out
/// of the spanning tree that keeps the joints that are held, then those of many cells, of equals those of `preferred`
/// (a spanning tree), and joints that ask to be cut only where nothing else connects.
std::vector<char> edges_to_cut(std::size_t vertices, std::span<const GraphEdge> edges,
                               const std::vector<char>& preferred);

}  // namespace polyform::host
