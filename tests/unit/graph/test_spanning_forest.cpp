#include <catch2/catch.hpp>

#include <algorithm>

#include "framework/host/graph/system_graph.hpp"

using namespace polyform::host;
using Edges = std::vector<GraphEdge>;

namespace {
/// Place of a body in the forest's order.
std::size_t place(const SpanningForest& f, std::size_t body) {
  return static_cast<std::size_t>(std::find(f.order.begin(), f.order.end(), body) - f.order.begin());
}
}  // namespace

TEST_CASE("a chain keeps its order and is contiguous") {
  const Edges edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const SpanningForest f = span_forest(4, edges);
  CHECK(f.order == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(f.carrier == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(f.loops.empty());
  CHECK(f.added_roots.empty());
}

TEST_CASE("the largest branch follows its body directly") {
  // Body 0 has the children 1 (a leaf) and 2 (a chain of three).
  const Edges edges{{0, 1}, {1, 2}, {1, 3}, {3, 4}, {4, 5}};
  const SpanningForest f = span_forest(5, edges);
  CHECK(f.order == std::vector<std::size_t>{0, 2, 3, 4, 1});
}

TEST_CASE("a loop is cut where both ways from ground are shortest") {
  // Six bodies in a ring that is closed through ground: breadth-first cuts it in the middle.
  const Edges edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 0}};
  const SpanningForest f = span_forest(6, edges);
  REQUIRE(f.cut_edges == std::vector<std::size_t>{3});
  CHECK(f.loops[0].base_path == std::vector<std::size_t>{2, 1, 0});
  CHECK(f.loops[0].moving_path == std::vector<std::size_t>{4, 5, 6});
}

TEST_CASE("a joint that asks to be cut is the cut joint of its loop") {
  Edges edges{{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  edges[0].cut = true;
  const SpanningForest f = span_forest(3, edges);
  CHECK(f.cut_edges == std::vector<std::size_t>{0});
  CHECK(f.ignored_cuts.empty());
  CHECK(f.order == std::vector<std::size_t>{2, 1, 0});
}

TEST_CASE("a joint that asks to be cut but closes no loop carries its body") {
  Edges edges{{0, 1}, {1, 2}};
  edges[1].cut = true;
  const SpanningForest f = span_forest(2, edges);
  CHECK(f.cut_edges.empty());
  CHECK(f.ignored_cuts == std::vector<std::size_t>{1});
}

TEST_CASE("what no joint connects with ground hangs on an added joint") {
  const Edges edges{{2, 3}};  // bodies 1 and 2 together, body 0 alone
  const SpanningForest f = span_forest(3, edges);
  CHECK(f.added_roots == std::vector<std::size_t>{0, 1});
  CHECK(f.carrier[place(f, 0)] == 1);
  CHECK(f.carrier[place(f, 1)] == 2);
  CHECK(f.carrier[place(f, 2)] == 0);
}

TEST_CASE("two joints between the same bodies make a loop of two") {
  const Edges edges{{0, 1}, {1, 2}, {1, 2}};
  const SpanningForest f = span_forest(2, edges);
  REQUIRE(f.loops.size() == 1);
  CHECK(f.loops[0].base_path.size() + f.loops[0].moving_path.size() == 1);
}

TEST_CASE("every body follows its inboard body in a large random tree") {
  Edges edges;
  std::uint64_t seed = 1;
  const std::size_t n = 2000;
  for (std::size_t v = 1; v <= n; ++v) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const std::size_t other = (seed >> 33) % v;
    edges.push_back(v % 3 == 0 ? GraphEdge{v, other} : GraphEdge{other, v});
  }
  const SpanningForest f = span_forest(n, edges);
  REQUIRE(f.order.size() == n);
  std::vector<char> seen(n + 1);
  seen[0] = 1;
  bool inboard_first = true;
  for (std::size_t i = 0; i < n; ++i) {
    const GraphEdge& e = edges[f.carrier[i]];
    const std::size_t v = f.order[i] + 1, inboard = e.base == v ? e.moving : e.base;
    inboard_first = inboard_first && seen[inboard] == 1;
    seen[v] = 1;
  }
  CHECK(inboard_first);
}

TEST_CASE("loops side by side stay within their own cells") {
  // Two rails from ground, 2k + 1 and 2k + 2, with a rung between each pair. Breadth-first would run every loop to
  // ground.
  const std::size_t cells = 400;
  Edges edges;
  for (std::size_t k = 0; k < cells; ++k) {
    edges.push_back({k == 0 ? 0 : 2 * k - 1, 2 * k + 1});
    edges.push_back({k == 0 ? 0 : 2 * k, 2 * k + 2});
    edges.push_back({2 * k + 1, 2 * k + 2});
  }
  const SpanningForest f = span_forest(2 * cells, edges);
  REQUIRE(f.loops.size() == cells);
  std::size_t longest = 0;
  for (const Loop& loop : f.loops) longest = std::max(longest, loop.base_path.size() + loop.moving_path.size());
  CHECK(longest == 3);
}

TEST_CASE("joints that ask to be cut are cut in neighbouring loops too") {
  // Two cells that share a joint, which would be kept if it did not ask to be cut.
  Edges edges{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}};
  edges[2].cut = true;
  const SpanningForest f = span_forest(3, edges);
  REQUIRE(f.cut_edges.size() == 2);
  CHECK(f.cut_edges[0] == 2);
  CHECK(f.ignored_cuts.empty());
}

TEST_CASE("a joint that is held stays in the tree, and the loop is cut elsewhere") {
  // A ring of four bodies through ground: breadth-first cuts edge 2, which is held here, and so is edge 3 next to it.
  Edges edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}};
  REQUIRE(span_forest(4, edges).cut_edges == std::vector<std::size_t>{2});
  edges[2].hold = edges[3].hold = Hold::light_body;
  const SpanningForest f = span_forest(4, edges);
  REQUIRE(f.cut_edges.size() == 1);
  CHECK(f.cut_edges[0] != 2);
  CHECK(f.cut_edges[0] != 3);
}

TEST_CASE("a weld is held before a joint beside a light body, and a wish to cut goes before both") {
  Edges edges{{0, 1}, {1, 2}, {2, 0}};
  edges[0].hold = edges[1].hold = Hold::weld;
  edges[2].hold = Hold::light_body;
  CHECK(span_forest(2, edges).cut_edges == std::vector<std::size_t>{2});
  edges[0].cut = true;
  CHECK(span_forest(2, edges).cut_edges == std::vector<std::size_t>{0});
}
