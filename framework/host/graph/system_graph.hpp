// The system graph on Boost.Graph: connectivity, spanning forest, cut joints, loops, chains.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace polyform::host::inline graph {

/// How much a joint is wanted in the spanning tree. A recursion over the tree needs inertia outboard of every joint. If
/// the loop is cut at a joint of a body without inertia, that body has nothing outboard of its other joint.
enum class Hold {
  none,
  light_body,  ///< it moves a body without inertia, or with next to none
  weld         ///< it leaves no motion: cutting it would cost six rows
};

/// An edge of the user's graph. Vertices: 0 is ground, i + 1 the user's body i.
struct GraphEdge {
  std::size_t base = 0, moving = 0;
  bool cut = false;  ///< asked to be the cut joint of its loop
  Hold hold = Hold::none;
};

/// A loop: the cut joint's edge, and the tree edges on the two paths to the common ancestor.
struct Loop {
  std::size_t cut_edge;
  std::vector<std::size_t> base_path, moving_path;  ///< edges from the cut joint towards the ancestor
};

/// Spanning forest rooted in ground. Edges beyond the given ones are added free joints.
struct SpanningForest {
  /// Bodies (vertex − 1) in depth-first preorder; the place in this list is the BodyIndex.
  std::vector<std::size_t> order;
  /// Edge that moves the body at that place; an index ≥ edges.size() means the added free joint of added_roots[index
  /// − size].
  std::vector<std::size_t> carrier;
  std::vector<std::size_t> cut_edges;     ///< in the order of the file
  std::vector<std::size_t> added_roots;   ///< bodies (vertex − 1) that no joint connects with ground
  std::vector<std::size_t> ignored_cuts;  ///< edges with cut: true that belong to no loop
  std::vector<Loop> loops;                ///< one per cut edge
};

/// The forest is that of a breadth-first search from ground. It is changed where several loops share joints, so that
/// each loop stays within its own cell, and where joints are held in the tree. Edges that ask to be cut are used only
/// where nothing else connects. A component without ground gets a free joint at the first of its bodies in the file.
SpanningForest span_forest(std::size_t bodies, std::span<const GraphEdge> edges);

}  // namespace polyform::host::graph
