#include "framework/host/expressions/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "framework/host/expressions/scalar.hpp"
#include "polyform/helpers/row_reach.hpp"

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

std::vector<NodeIndex> Graph::needed(std::span<const NodeIndex> roots) const {
  std::vector<bool> is_found(nodes_.size());
  std::vector<NodeIndex> found;
  const auto take = [&](NodeIndex i) {
    if (!is_found[i]) found.push_back(i);
    is_found[i] = true;
  };
  for (const NodeIndex root : roots) take(root);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const GraphNode& node = nodes_[found[next]];
    const std::size_t operands = operand_count(node.code);
    if (operands > 0) take(node.a);
    if (operands > 1) take(node.b);
    if (operands > 2) take(node.c);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::uint32_t> Graph::inputs(std::span<const NodeIndex> roots) const {
  std::vector<std::uint32_t> numbers;
  for (const NodeIndex i : needed(roots))
    if (nodes_[i].code == Code::input) numbers.push_back(nodes_[i].a);
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<NodeIndex> Graph::switches(std::span<const NodeIndex> roots) {
  std::vector<NodeIndex> found;
  const TextPlace place = place_;
  for (const NodeIndex i : needed(roots)) {
    const GraphNode node = nodes_[i];
    place_ = node.place;
    NodeIndex at = none;
    switch (node.code) {
      case Code::less:
      case Code::less_equal:
      case Code::equal:
      case Code::minimum:
      case Code::maximum: at = add(Code::subtract, node.a, node.b); break;
      case Code::absolute:
      case Code::sign:
      case Code::step:
      case Code::arc_tangent2:  // it jumps where its first operand changes its sign left of zero
        at = node.a;
        break;
      case Code::floor: at = add(Code::sine, add(Code::multiply, constant(std::numbers::pi), node.a)); break;
      case Code::table: rows_of(node, found); break;
      case Code::surface: {
        const Surface s = surfaces_[node.c];
        keep_knots({s.x, across(s, true), {}, false}, node.a, found);
        keep_knots({s.y, across(s, false), {}, false}, node.b, found);
        break;
      }
      default: break;
    }
    if (at != none) keep_switch(at, found);
  }
  place_ = place;
  return found;
}

/// Of a product its factors are kept: two zeros of it that lie side by side are one of each.
void Graph::keep_switch(NodeIndex node, std::vector<NodeIndex>& found) const {
  const GraphNode& of = nodes_[node];
  if (of.code == Code::negate) return keep_switch(of.a, found);
  if (of.code == Code::multiply) {
    keep_switch(of.a, found);
    return keep_switch(of.b, found);
  }
  if (!is_constant(node) && std::ranges::find(found, node) == found.end()) found.push_back(node);
}

/// The values of a surface as tables over its x, or over its y.
std::vector<double> Graph::across(const Surface& s, bool along_x) const {
  if (!along_x) return s.z;
  std::vector<double> turned;
  for (std::size_t j = 0; j < s.y.size(); ++j)
    for (std::size_t i = 0; i < s.x.size(); ++i) turned.push_back(s.z[i * s.y.size() + j]);
  return turned;
}

/// Keeps a function that changes its sign at each row where one of the tables bends. y: table after table. At other
/// rows nothing happens. A periodic table keeps its ends, which tell the period.
void Graph::keep_knots(Table table, NodeIndex x, std::vector<NodeIndex>& found) {
  const std::size_t n = table.x.size(), count = n > 0 ? table.y.size() / n : 0;
  const auto bends = [&](std::size_t i) {
    if (table.periodic && (i == 0 || i + 1 == n)) return true;
    for (std::size_t t = 0; t < count; ++t) {
      const double* const y = table.y.data() + t * n;
      const bool straight = i == 0 || i + 1 == n ? n < 2 || y[i] == y[i == 0 ? 1 : i - 1]
                                                 : RowReach::straight(table.x[i - 1], y[i - 1], table.x[i], y[i],
                                                                      table.x[i + 1], y[i + 1]);
      if (!straight) return true;
    }
    return false;
  };
  Table rows;
  rows.periodic = table.periodic;
  for (std::size_t i = 0; i < n; ++i)
    if (bends(i)) rows.x.push_back(table.x[i]);
  if (rows.x.empty()) return;
  tables_.push_back(std::move(rows));
  keep_switch(put({Code::knot, x, static_cast<NodeIndex>(tables_.size() - 1), 0, 0, place_}), found);
}

/// A linear table bends at each row; a spline bends only at its ends, where it begins to be held. What a spline of the
/// time alone does between two rows no step may pass over.
void Graph::rows_of(const GraphNode& node, std::vector<NodeIndex>& found) {
  const Table table = tables_[node.b];
  const NodeIndex argument[] = {node.a};
  if (table.second.empty() || inputs(argument) == std::vector<std::uint32_t>{0})
    keep_knots({table.x, table.y, {}, table.periodic}, node.a, found);
  if (table.second.empty() || table.periodic) return;
  const double ends[] = {table.x.front(), table.x.back()};
  for (const double end : ends) keep_switch(add(Code::subtract, node.a, constant(end)), found);
}

std::vector<Graph::Passed> Graph::tables_passed(std::span<const NodeIndex> roots) const {
  std::vector<Passed> found;
  const auto keep = [&](NodeIndex argument, const std::vector<double>& x, std::vector<double> y, bool periodic) {
    if (!is_constant(argument)) found.push_back({argument, &x, std::move(y), periodic});
  };
  for (const NodeIndex i : needed(roots)) {
    const GraphNode& node = nodes_[i];
    if (node.code == Code::table) {
      const Table& table = tables_[node.b];
      keep(node.a, table.x, table.y, table.periodic);
    } else if (node.code == Code::surface) {
      const Surface& s = surfaces_[node.c];
      keep(node.a, s.x, across(s, true), false);
      keep(node.b, s.y, across(s, false), false);
    }
  }
  return found;
}

NodeIndex Graph::replaced(NodeIndex root, std::span<const NodeIndex> by) {
  const NodeIndex roots[] = {root};
  const std::vector<NodeIndex> from = needed(roots);
  std::vector<NodeIndex> copies(from.size(), none);
  const auto copy = [&](NodeIndex i) { return copies[place_of(i, from)]; };
  for (std::size_t k = 0; k < from.size(); ++k) {
    const NodeIndex i = from[k];
    const GraphNode node = nodes_[i];
    place_ = node.place;
    const std::size_t operands = operand_count(node.code);
    if (node.code == Code::input)
      copies[k] = node.a < by.size() && by[node.a] != none ? by[node.a] : i;
    else if (operands == 0)
      copies[k] = i;
    else if (node.code == Code::table || node.code == Code::knot)
      copies[k] = put({node.code, copy(node.a), node.b, 0, 0, place_});
    else if (node.code == Code::surface)
      copies[k] = put({node.code, copy(node.a), copy(node.b), node.c, 0, place_});
    else
      copies[k] = add(node.code, copy(node.a), operands > 1 ? copy(node.b) : 0, operands > 2 ? copy(node.c) : 0);
  }
  return copies.back();
}

}  // namespace polyform::host::inline expressions
