#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/host/expressions/graph.hpp"
#include "framework/host/expressions/interval.hpp"
#include "framework/host/expressions/program.hpp"

namespace polyform::host::inline expressions {

namespace {

// A power up to this has no narrow peak: half a radian from the top of a sine it is still half as high.
constexpr double wide_power = 4;
// A value that is so many times higher at its peak than elsewhere may have a narrow peak.
constexpr double high_peak = 100;

}  // namespace

bool Graph::is_even_power(const GraphNode& node) const {
  if (node.code == Code::multiply) return node.a == node.b;
  return node.code == Code::power && is_constant(node.b) && std::fmod(nodes_[node.b].value, 2) == 0;
}

/// Finds values that are bounded far from their middle, or fall to zero there, because an even function of u stands in
/// an exponent or in a divisor. Operands stand before their nodes, so the loop sees the nodes first.
std::vector<NodeIndex> Graph::peaks(std::span<const NodeIndex> roots) {
  const std::vector<NodeIndex> nodes = needed(roots);
  const TextPlace place = place_;
  std::vector<bool> is_within(nodes_.size());  // an exponent, a divisor, or the base of a high power
  std::vector<NodeIndex> found;
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const NodeIndex i = nodes[n];
    const GraphNode node = nodes_[i];
    place_ = node.place;
    const std::size_t operands = operand_count(node.code);
    const NodeIndex of[] = {node.a, node.b, node.c};
    for (std::size_t k = 0; k < operands; ++k)
      if (is_within[i]) is_within[of[k]] = true;
    switch (node.code) {
      case Code::exponential:
        is_within[node.a] = true;
        keep_switch(node.a, found);
        keep_extremum(i, node.a, found);
        break;
      case Code::hyperbolic_tangent:
      case Code::arc_tangent:
        is_within[node.a] = true;
        keep_switch(node.a, found);
        break;
      case Code::divide:
        is_within[node.b] = true;
        keep_extremum(node.b, node.b, found);
        break;
      case Code::power:
        if (is_constant(node.b) && nodes_[node.b].value >= 0 && nodes_[node.b].value <= wide_power) break;
        is_within[node.a] = true;
        keep_extremum(i, node.a, found);
        break;
      case Code::sine:
        if (is_within[i]) keep_switch(add(Code::cosine, node.a), found);
        break;
      case Code::cosine:
        if (is_within[i]) keep_switch(add(Code::sine, node.a), found);
        break;
      default: break;
    }
    if (is_within[i] && (is_even_power(node) || node.code == Code::hyperbolic_cosine)) keep_switch(node.a, found);
  }
  place_ = place;
  return found;
}

/// If the value depends on time alone and is many times smaller elsewhere, adds the places at which the argument turns
/// round.
void Graph::keep_extremum(NodeIndex value, NodeIndex argument, std::vector<NodeIndex>& found) {
  const NodeIndex roots[] = {value};
  const std::uint32_t time[] = {0};
  if (inputs(roots) != std::vector<std::uint32_t>{0}) return;
  constexpr double everywhere = std::numeric_limits<double>::infinity();
  const Program program(*this, roots, time);
  std::vector<Interval> work(program.registers());
  program.prepare(std::span(work));
  work[0] = {-everywhere, everywhere};
  program.run(std::span(work));
  const Interval& range = work[program.root(0)];
  if (range.low > 0 && range.high < high_peak * range.low) return;
  if (const NodeIndex slope = derivative(argument, 0); slope != none) keep_switch(slope, found);
}

/// A divisor is zero where one of its factors is, or all parts of it are. whole: the hypotenuse of which it is a leg;
/// none for others.
void Graph::keep_factors(NodeIndex divisor, NodeIndex quotient, NodeIndex whole, std::vector<Pole>& found) const {
  const GraphNode& node = nodes_[divisor];
  switch (node.code) {
    case Code::hypotenuse:
      if (whole == none) whole = divisor;
      keep_factors(node.b, quotient, whole, found);
      [[fallthrough]];
    case Code::negate:
    case Code::absolute: return keep_factors(node.a, quotient, whole, found);
    case Code::multiply: keep_factors(node.b, quotient, none, found); [[fallthrough]];
    case Code::divide:
    case Code::square_root:
    case Code::cube_root: return keep_factors(node.a, quotient, none, found);
    case Code::power:
      if (is_constant(node.b) && nodes_[node.b].value > 0) keep_factors(node.a, quotient, none, found);
      return;
    case Code::minimum:
    case Code::maximum: keep_factors(node.a, quotient, none, found); return keep_factors(node.b, quotient, none, found);
    case Code::select: keep_factors(node.b, quotient, none, found); return keep_factors(node.c, quotient, none, found);
    default:
      const Pole pole{divisor, quotient, whole};
      if (!is_constant(divisor) && std::ranges::find(found, pole) == found.end()) found.push_back(pole);
  }
}

std::vector<Graph::Pole> Graph::poles(std::span<const NodeIndex> roots) {
  const TextPlace place = place_;
  std::vector<Pole> found;
  for (const NodeIndex i : needed(roots)) {
    const GraphNode node = nodes_[i];
    place_ = node.place;
    if (node.code == Code::divide) keep_factors(node.b, i, none, found);
    if (node.code == Code::tangent) keep_factors(add(Code::cosine, node.a), i, none, found);
    if (node.code == Code::power && !(is_constant(node.b) && nodes_[node.b].value >= 0))
      keep_factors(node.a, i, none, found);
  }
  place_ = place;
  return found;
}

}  // namespace polyform::host::inline expressions
