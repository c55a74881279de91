#include <cmath>
#include <vector>

#include "framework/host/expressions/graph.hpp"

namespace polyform::host::inline expressions {

namespace {

/// Adds the derivatives of operations to a graph, by an input.
class Differentiation {
 public:
  /// nodes: in increasing order, operands among them.
  Differentiation(Graph& graph, std::uint32_t input, std::span<const NodeIndex> nodes)
      : graph_(graph), input_(input), nodes_(nodes) {}

  /// The derivative of a node from those of the nodes before it; none if it is no expression.
  NodeIndex of(const GraphNode& node, const std::vector<NodeIndex>& slopes) {
    if (node.code == Code::constant) return zero();
    if (node.code == Code::input) return graph_.constant(node.a == input_ ? 1 : 0);
    const std::size_t operands = operand_count(node.code);
    a_ = node.a, b_ = node.b;
    da_ = slopes[place_of(a_, nodes_)];
    db_ = operands > 1 ? slopes[place_of(b_, nodes_)] : zero();
    if (da_ == Graph::none || db_ == Graph::none || operands > 2 || node.code >= Code::table) return Graph::none;
    return operands > 1 ? of_two(node) : of_one(node);
  }

 private:
  NodeIndex zero() { return graph_.constant(0); }
  NodeIndex add(NodeIndex a, NodeIndex b) { return graph_.add(Code::add, a, b); }
  NodeIndex times(NodeIndex a, NodeIndex b) {
    return a == zero() || b == zero() ? zero() : graph_.add(Code::multiply, a, b);
  }
  NodeIndex over(NodeIndex a, NodeIndex b) { return a == zero() ? a : graph_.add(Code::divide, a, b); }
  NodeIndex number(double x) { return graph_.constant(x); }
  NodeIndex apply(Code code, NodeIndex a) { return graph_.add(code, a); }
  NodeIndex square(NodeIndex a) { return graph_.add(Code::power, a, number(2)); }

  NodeIndex of_two(const GraphNode& node) {
    switch (node.code) {
      case Code::add:
      case Code::subtract: return graph_.add(node.code, da_, db_);
      case Code::multiply: return add(times(da_, b_), times(a_, db_));
      case Code::divide: return graph_.add(Code::subtract, over(da_, b_), over(times(a_, db_), square(b_)));
      case Code::power: {
        if (graph_[b_].code != Code::constant) return Graph::none;
        const double exponent = graph_[b_].value;
        return times(times(number(exponent), graph_.add(Code::power, a_, number(exponent - 1))), da_);
      }
      case Code::hypotenuse: return over(add(times(a_, da_), times(b_, db_)), graph_.add(Code::hypotenuse, a_, b_));
      default: return Graph::none;
    }
  }
  NodeIndex of_one(const GraphNode& node) {
    switch (node.code) {
      case Code::negate: return apply(Code::negate, da_);
      case Code::sine: return times(apply(Code::cosine, a_), da_);
      case Code::cosine: return apply(Code::negate, times(apply(Code::sine, a_), da_));
      case Code::tangent: return over(da_, square(apply(Code::cosine, a_)));
      case Code::arc_tangent: return over(da_, add(number(1), square(a_)));
      case Code::hyperbolic_sine: return times(apply(Code::hyperbolic_cosine, a_), da_);
      case Code::hyperbolic_cosine: return times(apply(Code::hyperbolic_sine, a_), da_);
      case Code::hyperbolic_tangent: return over(da_, square(apply(Code::hyperbolic_cosine, a_)));
      case Code::exponential: return times(apply(Code::exponential, a_), da_);
      case Code::logarithm: return over(da_, a_);
      case Code::square_root: return over(da_, times(number(2), apply(Code::square_root, a_)));
      default: return Graph::none;
    }
  }

  Graph& graph_;
  const std::uint32_t input_;
  std::span<const NodeIndex> nodes_;
  NodeIndex a_ = 0, b_ = 0, da_ = 0, db_ = 0;
};

}  // namespace

NodeIndex Graph::derivative(NodeIndex root, std::uint32_t input) {
  const NodeIndex roots[] = {root};
  const std::vector<NodeIndex> nodes = needed(roots);
  const TextPlace place = place_;
  std::vector<NodeIndex> slopes(nodes.size(), none);
  Differentiation rules(*this, input, nodes);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const GraphNode node = nodes_[nodes[k]];
    place_ = node.place;
    slopes[k] = rules.of(node, slopes);
  }
  place_ = place;
  return slopes.back();
}

}  // namespace polyform::host::inline expressions
