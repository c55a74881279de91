#include "framework/host/expressions/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "framework/host/expressions/scalar.hpp"

namespace polyform::host::inline expressions {

std::size_t operand_count(Code code) noexcept {
  if (code <= Code::input) return 0;
  if (code <= Code::disjunction || code == Code::surface) return 2;
  return code == Code::select ? 3 : 1;
}

NodeIndex Graph::put(const GraphNode& node) {
  const Key key{node.code, node.a, node.b, node.c, std::bit_cast<std::uint64_t>(node.value)};
  const auto [known, is_new] = known_.try_emplace(key, static_cast<NodeIndex>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return known->second;
}

NodeIndex Graph::constant(double value) {
  GraphNode node;
  node.value = value;
  node.place = place_;
  return put(node);
}

NodeIndex Graph::input(std::uint32_t number) { return put({Code::input, number, 0, 0, 0, place_}); }

NodeIndex Graph::add(Code code, NodeIndex a, NodeIndex b, NodeIndex c) {
  const std::size_t operands = operand_count(code);
  if (code == Code::select && is_constant(a)) return nodes_[a].value != 0 ? b : c;
  // Simplifications that need no second operand, which may fail.
  if (code == Code::conjunction && is_constant(a) && nodes_[a].value == 0) return a;
  if (code == Code::disjunction && is_constant(a) && nodes_[a].value != 0) return constant(1);
  const auto is = [&](NodeIndex i, double value) { return is_constant(i) && nodes_[i].value == value; };
  if ((code == Code::multiply || code == Code::divide || code == Code::power) && is(b, 1)) return a;
  if (code == Code::multiply && is(a, 1)) return b;
  if ((code == Code::add || code == Code::subtract) && is(b, 0)) return a;
  if (code == Code::add && is(a, 0)) return b;
  if (operands == 1 && is_constant(a)) {
    const double value = unary(code, nodes_[a].value);
    if (std::isfinite(value)) return constant(value);
  }
  if (operands == 2 && is_constant(a) && is_constant(b)) {
    const double value = binary(code, nodes_[a].value, nodes_[b].value);
    if (std::isfinite(value)) return constant(value);
  }
  return put({code, a, operands > 1 ? b : 0, operands > 2 ? c : 0, 0, place_});
}

NodeIndex Graph::table(Table table, NodeIndex x) {
  tables_.push_back(std::move(table));
  return put({Code::table, x, static_cast<NodeIndex>(tables_.size() - 1), 0, 0, place_});
}

NodeIndex Graph::surface(Surface surface, NodeIndex x, NodeIndex y) {
  surfaces_.push_back(std::move(surface));
  return put({Code::surface, x, y, static_cast<NodeIndex>(surfaces_.size() - 1), 0, place_});
}

std::vector<bool> Graph::needed(std::span<const NodeIndex> roots) const {
  std::vector<bool> is_needed(nodes_.size());
  NodeIndex last = 0;
  for (const NodeIndex root : roots) {
    is_needed[root] = true;
    last = std::max(last, root + 1);
  }
  for (NodeIndex i = last; i-- > 0;) {
    if (!is_needed[i]) continue;
    const GraphNode& node = nodes_[i];
    const std::size_t operands = operand_count(node.code);
    if (operands > 0) is_needed[node.a] = true;
    if (operands > 1) is_needed[node.b] = true;
    if (operands > 2) is_needed[node.c] = true;
  }
  return is_needed;
}

std::vector<std::uint32_t> Graph::inputs(std::span<const NodeIndex> roots) const {
  const std::vector<bool> is_needed = needed(roots);
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < is_needed.size(); ++i)
    if (is_needed[i] && nodes_[i].code == Code::input) numbers.push_back(nodes_[i].a);
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<NodeIndex> Graph::switches(std::span<const NodeIndex> roots) {
  const std::vector<bool> is_needed = needed(roots);
  std::vector<NodeIndex> found;
  const TextPlace place = place_;
  for (NodeIndex i = 0; i < is_needed.size(); ++i) {
    if (!is_needed[i]) continue;
    const GraphNode node = nodes_[i];
    place_ = node.place;
    NodeIndex at = none;
    switch (node.code) {
      case Code::less:
      case Code::less_equal:
      case Code::equal:
      case Code::minimum:
      case Code::maximum:
        at = add(Code::subtract, node.a, node.b);
        break;
      case Code::absolute:
      case Code::sign:
      case Code::step:
      case Code::arc_tangent2:  // it jumps where its first operand changes its sign left of zero
        at = node.a;
        break;
      case Code::floor:
        at = add(Code::sine, add(Code::multiply, constant(std::numbers::pi), node.a));
        break;
      case Code::table:
        rows_of(node, found);
        break;
      case Code::surface: {
        const Surface& s = surfaces_[node.c];
        keep_switch(knots({s.x, {}, {}, false}, node.a), found);
        keep_switch(knots({s.y, {}, {}, false}, node.b), found);
        break;
      }
      default:
        break;
    }
    if (at != none) keep_switch(at, found);
  }
  place_ = place;
  return found;
}

void Graph::keep_switch(NodeIndex node, std::vector<NodeIndex>& found) const {
  if (!is_constant(node) && std::ranges::find(found, node) == found.end()) found.push_back(node);
}

NodeIndex Graph::knots(Table rows, NodeIndex x) {
  tables_.push_back(std::move(rows));
  return put({Code::knot, x, static_cast<NodeIndex>(tables_.size() - 1), 0, 0, place_});
}

/// A linear table bends at each row; a spline bends only at its ends, where it begins to be held.
void Graph::rows_of(const GraphNode& node, std::vector<NodeIndex>& found) {
  const Table& table = tables_[node.b];
  if (table.second.empty()) return keep_switch(put({Code::knot, node.a, node.b, 0, 0, place_}), found);
  if (table.periodic) return;
  const double ends[] = {table.x.front(), table.x.back()};
  for (const double end : ends) keep_switch(add(Code::subtract, node.a, constant(end)), found);
}

NodeIndex Graph::replaced(NodeIndex root, std::span<const NodeIndex> by) {
  const NodeIndex roots[] = {root};
  const std::vector<bool> is_needed = needed(roots);
  std::vector<NodeIndex> copy(is_needed.size(), none);
  for (NodeIndex i = 0; i <= root; ++i) {
    if (!is_needed[i]) continue;
    const GraphNode node = nodes_[i];
    place_ = node.place;
    const std::size_t operands = operand_count(node.code);
    if (node.code == Code::input)
      copy[i] = node.a < by.size() && by[node.a] != none ? by[node.a] : i;
    else if (operands == 0)
      copy[i] = i;
    else if (node.code == Code::table || node.code == Code::knot)
      copy[i] = put({node.code, copy[node.a], node.b, 0, 0, place_});
    else if (node.code == Code::surface)
      copy[i] = put({node.code, copy[node.a], copy[node.b], node.c, 0, place_});
    else
      copy[i] = add(node.code, copy[node.a], operands > 1 ? copy[node.b] : 0, operands > 2 ? copy[node.c] : 0);
  }
  return copy[root];
}

}  // namespace polyform::host::inline expressions
