#include "framework/host/graph/short_loops.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>
#include <set>
#include <tuple>

namespace polyform::host::inline graph {
namespace {

constexpr std::size_t unseen = static_cast<std::size_t>(-1);
/// A cycle is not local if a search of so many bodies around a joint does not find it.
constexpr std::size_t widest_search = 300;

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_index_t, std::size_t>>;

/// Per edge its biconnected component, and whether that has several cycles: only then is there a choice of cuts.
struct Components {
  std::vector<std::size_t> of;
  std::vector<char> has_cells;

  Components(const Graph& graph, std::span<const GraphEdge> edges) : of(edges.size()) {
    const std::size_t count = boost::biconnected_components(
        graph, boost::make_iterator_property_map(of.begin(), boost::get(boost::edge_index, graph)));
    std::vector<std::set<std::size_t>> vertices(count);
    std::vector<std::size_t> size(count);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      vertices[of[e]].insert({edges[e].base, edges[e].moving});
      ++size[of[e]];
    }
    has_cells.resize(count);
    for (std::size_t c = 0; c < count; ++c) has_cells[c] = size[c] > vertices[c].size() ? 1 : 0;
  }
};

/// The edges of the shortest cycle through an edge, sorted; empty if there is none nearby. The search goes
/// breadth-first from one end to the other, without the edge itself.
class CycleSearch {
 public:
  CycleSearch(const Graph& graph, std::span<const GraphEdge> edges)
      : graph_(graph), edges_(edges), came_over_(boost::num_vertices(graph), unseen) {}

  std::vector<std::size_t> through(std::size_t edge) {
    const std::size_t from = edges_[edge].base, to = edges_[edge].moving;
    queue_.assign(1, from);
    came_over_[from] = edge;
    std::vector<std::size_t> cycle;
    for (std::size_t i = 0; i < queue_.size() && i < widest_search && came_over_[to] == unseen; ++i) {
      for (const auto& e : boost::make_iterator_range(boost::out_edges(queue_[i], graph_))) {
        const std::size_t index = boost::get(boost::edge_index, graph_, e), next = boost::target(e, graph_);
        if (index == edge || came_over_[next] != unseen) continue;
        came_over_[next] = index;
        queue_.push_back(next);
      }
    }
    if (came_over_[to] != unseen && to != from) {
      cycle.push_back(edge);
      for (std::size_t v = to; v != from;) {
        const GraphEdge& e = edges_[came_over_[v]];
        cycle.push_back(came_over_[v]);
        v = e.base == v ? e.moving : e.base;
      }
      std::sort(cycle.begin(), cycle.end());
    }
    for (const std::size_t v : queue_) came_over_[v] = unseen;
    return cycle;
  }

 private:
  const Graph& graph_;
  std::span<const GraphEdge> edges_;
  std::vector<std::size_t> came_over_, queue_;
};

/// Number of cells that each edge belongs to.
std::vector<std::size_t> count_cells(const Graph& graph, std::span<const GraphEdge> edges) {
  const Components components(graph, edges);
  CycleSearch search(graph, edges);
  std::set<std::vector<std::size_t>> cells;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (components.has_cells[components.of[e]] != 0) cells.insert(search.through(e));
  std::vector<std::size_t> count(edges.size());
  for (const std::vector<std::size_t>& cell : cells)
    for (const std::size_t e : cell) ++count[e];
  return count;
}

}  // namespace

std::vector<char> edges_to_cut(std::size_t vertices, std::span<const GraphEdge> edges,
                               const std::vector<char>& preferred) {
  Graph graph(vertices);
  for (std::size_t e = 0; e < edges.size(); ++e) boost::add_edge(edges[e].base, edges[e].moving, e, graph);
  const std::vector<std::size_t> cells = count_cells(graph, edges);
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t e) {
    return std::tuple(edges[e].cut, -static_cast<int>(edges[e].hold), -static_cast<long long>(cells[e]),
                      preferred[e] == 0);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });

  std::vector<std::size_t> size(vertices), parent(vertices);
  boost::disjoint_sets<std::size_t*, std::size_t*> sets(size.data(), parent.data());
  for (std::size_t v = 0; v < vertices; ++v) sets.make_set(v);
  std::vector<char> cut(edges.size(), 1);
  for (const std::size_t e : order) {
    if (sets.find_set(edges[e].base) == sets.find_set(edges[e].moving)) continue;
    sets.link(sets.find_set(edges[e].base), sets.find_set(edges[e].moving));
    cut[e] = 0;
  }
  return cut;
}

}  // namespace polyform::host::graph
