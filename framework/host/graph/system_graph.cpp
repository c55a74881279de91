#include "framework/host/graph/system_graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <utility>

#include "framework/host/graph/short_loops.hpp"

namespace polyform::host::inline graph {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_index_t, std::size_t>>;
using Edge = boost::graph_traits<Graph>::edge_descriptor;
using IndexMap = boost::property_map<Graph, boost::edge_index_t>::const_type;

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Lets a search pass over the edges that ask to be cut.
struct NotCut {
  const std::vector<char>* cut = nullptr;
  IndexMap index{};
  bool operator()(const Edge& e) const { return (*cut)[boost::get(index, e)] == 0; }
};

/// Records over which edge and from which vertex each vertex was reached.
struct Discovery : boost::default_bfs_visitor {
  std::vector<std::size_t>* carrier;
  std::vector<std::size_t>* parent;
  template <class E, class G>
  void tree_edge(const E& e, const G& g) const {
    (*carrier)[boost::target(e, g)] = boost::get(boost::edge_index, g, e);
    (*parent)[boost::target(e, g)] = boost::source(e, g);
  }
};

struct Tree {
  std::vector<std::size_t> parent;   ///< of each vertex; none: not reached; ground is its own
  std::vector<std::size_t> carrier;  ///< edge to the parent, or edges.size() + k for the k-th added root
};

/// Vertices with inboard before outboard ones; a vertex is followed by the child with the largest subtree, so that
/// the longest chains lie contiguous.
std::vector<std::size_t> preorder(const Tree& tree) {
  const std::size_t n = tree.parent.size();
  std::vector<std::vector<std::size_t>> children(n);
  for (std::size_t v = 1; v < n; ++v) children[tree.parent[v]].push_back(v);
  std::vector<std::size_t> order{0};
  order.reserve(n);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::size_t c : children[order[i]]) order.push_back(c);
  std::vector<std::size_t> size(n, 1);
  for (std::size_t i = n; i-- > 1;) size[tree.parent[order[i]]] += size[order[i]];
  std::vector<std::size_t> stack{0};
  order.clear();
  while (!stack.empty()) {
    const std::size_t v = stack.back();
    stack.pop_back();
    order.push_back(v);
    std::stable_sort(children[v].begin(), children[v].end(),
                     [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
    stack.insert(stack.end(), children[v].rbegin(), children[v].rend());
  }
  return order;
}

Loop find_loop(std::size_t edge, const GraphEdge& e, const Tree& tree, const std::vector<std::size_t>& depth) {
  Loop loop{edge, {}, {}};
  std::size_t a = e.base, b = e.moving;
  while (a != b) {
    if (depth[a] >= depth[b]) {
      loop.base_path.push_back(tree.carrier[a]);
      a = tree.parent[a];
    } else {
      loop.moving_path.push_back(tree.carrier[b]);
      b = tree.parent[b];
    }
  }
  return loop;
}

/// Grows the tree breadth-first from ground over the edges that are not cut; over cut ones only where no others
/// connect.
Tree grow(std::size_t n, std::span<const GraphEdge> edges, const std::vector<char>& cut, SpanningForest& forest) {
  Graph graph(n);
  for (std::size_t i = 0; i < edges.size(); ++i) boost::add_edge(edges[i].base, edges[i].moving, i, graph);
  const boost::filtered_graph<Graph, NotCut> open(graph,
                                                  NotCut{&cut, boost::get(boost::edge_index, std::as_const(graph))});
  Tree tree{std::vector<std::size_t>(n, none), std::vector<std::size_t>(n, none)};
  std::vector<boost::default_color_type> color(n, boost::white_color);
  auto colors = boost::make_iterator_property_map(color.begin(), boost::get(boost::vertex_index, graph));
  Discovery discovery;
  discovery.carrier = &tree.carrier;
  discovery.parent = &tree.parent;
  const auto reach = [&](std::size_t from) {
    boost::queue<std::size_t> queue;
    boost::breadth_first_visit(open, from, queue, discovery, colors);
  };
  tree.parent[0] = 0;
  reach(0);

  forest.added_roots.clear();
  forest.ignored_cuts.clear();
  std::size_t next_body = 1;
  for (;;) {
    bool bridged = false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (cut[i] == 0) continue;
      const bool base_reached = tree.parent[edges[i].base] != none,
                 moving_reached = tree.parent[edges[i].moving] != none;
      if (base_reached == moving_reached) continue;
      const std::size_t from = base_reached ? edges[i].base : edges[i].moving;
      const std::size_t to = base_reached ? edges[i].moving : edges[i].base;
      tree.parent[to] = from;
      tree.carrier[to] = i;
      forest.ignored_cuts.push_back(i);
      reach(to);
      bridged = true;
    }
    if (bridged) continue;
    while (next_body < n && tree.parent[next_body] != none) ++next_body;
    if (next_body == n) break;
    tree.parent[next_body] = 0;
    tree.carrier[next_body] = edges.size() + forest.added_roots.size();
    forest.added_roots.push_back(next_body - 1);
    reach(next_body);
  }
  return tree;
}

}  // namespace

SpanningForest span_forest(std::size_t bodies, std::span<const GraphEdge> edges) {
  const std::size_t n = bodies + 1;
  std::vector<char> cut(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) cut[i] = edges[i].cut ? 1 : 0;
  SpanningForest forest;
  Tree tree = grow(n, edges, cut, forest);
  std::vector<char> carries(edges.size());
  const auto find_carriers = [&] {
    std::fill(carries.begin(), carries.end(), 0);
    for (const std::size_t e : tree.carrier)
      if (e < edges.size()) carries[e] = 1;
  };
  find_carriers();
  // With several loops, another tree may have shorter ones. A single loop needs another tree only if its cut joint is
  // held.
  const bool several = edges.size() + forest.added_roots.size() > bodies + 1;
  bool cuts_held = false;
  for (std::size_t e = 0; e < edges.size(); ++e)
    cuts_held = cuts_held || (carries[e] == 0 && !edges[e].cut && edges[e].hold != Hold::none);
  if (several || cuts_held) {
    const std::vector<std::size_t> ignored = forest.ignored_cuts;
    tree = grow(n, edges, edges_to_cut(n, edges, carries), forest);
    forest.ignored_cuts = ignored;
  }

  const std::vector<std::size_t> order = preorder(tree);
  std::vector<std::size_t> depth(n);
  find_carriers();
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t v = order[i];
    depth[v] = depth[tree.parent[v]] + 1;
    forest.order.push_back(v - 1);
    forest.carrier.push_back(tree.carrier[v]);
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (carries[i] != 0) continue;
    forest.cut_edges.push_back(i);
    forest.loops.push_back(find_loop(i, edges[i], tree, depth));
  }
  return forest;
}

}  // namespace polyform::host::graph
