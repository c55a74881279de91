// Expressions as graphs of operations: what texts of a model are compiled to, before it is put in an order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace polyform::host::inline expressions {

/// What a node does with the values of others. Numbers stand for conditions: 0 is false, all else true.
enum class Code : std::uint8_t {
  constant,
  input,
  add,
  subtract,
  multiply,
  divide,
  power,
  arc_tangent2,
  hypotenuse,
  minimum,
  maximum,
  less,
  less_equal,
  equal,
  conjunction,
  disjunction,
  select,  ///< b where a is true, else c
  negate,
  invert,
  absolute,
  sign,
  step,
  floor,
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  area_sine,
  area_cosine,
  area_tangent,
  exponential,
  logarithm,
  decimal_logarithm,
  square_root,
  cube_root,
  table,   ///< of one variable, a
  knot,    ///< changes its sign at each row of a table of a at which the table bends
  surface  ///< a table of two variables, a and b
};
/// How many of a, b and c a code uses.
std::size_t operand_count(Code) noexcept;

using NodeIndex = std::uint32_t;

/// Where a node stands in an increasing list that has it.
inline std::size_t place_of(NodeIndex node, std::span<const NodeIndex> list) {
  return static_cast<std::size_t>(std::ranges::lower_bound(list, node) - list.begin());
}

/// A table of one variable: linear, or the natural or periodic cubic spline. Held constant outside of its range, or
/// periodic: then the first and the last row are one period apart and have the same value.
struct Table {
  std::vector<double> x, y, second;  ///< second: derivatives of the spline; empty if it is linear
  bool periodic = false;
};
/// A table of two variables, bilinear; held constant outside of its range.
struct Surface {
  std::vector<double> x, y, z;  ///< z: rows of x, columns of y
};

/// Where in a text a node comes from.
struct TextPlace {
  std::uint32_t formula = 0;  ///< a number that the maker of the graph gives to each text
  std::uint32_t begin = 0, end = 0;
};

struct GraphNode {
  Code code = Code::constant;
  NodeIndex a = 0, b = 0, c = 0;  ///< operands; of an input its number, of a table its index in b (surface: c)
  double value = 0;               ///< of a constant
  TextPlace place{};
};

/// All expressions of a model. Equal operations on equal operands are one node; operands come before their nodes.
/// Operations on constants are done at once, unless they fail: those are found, with their place, when they are needed.
class Graph {
 public:
  const GraphNode& operator[](NodeIndex i) const { return nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }
  /// The place given to nodes that are made from now on.
  void at(TextPlace place) { place_ = place; }

  NodeIndex constant(double);
  NodeIndex input(std::uint32_t number);
  NodeIndex add(Code, NodeIndex a, NodeIndex b = 0, NodeIndex c = 0);
  NodeIndex table(Table, NodeIndex x);
  NodeIndex surface(Surface, NodeIndex x, NodeIndex y);
  /// The nodes whose change of sign is a jump or a bend of one of the roots: conditions, bounds, rows of tables.
  std::vector<NodeIndex> switches(std::span<const NodeIndex> roots);
  /// The nodes about whose zero one of the roots can have a narrow peak or rise without a bend: u in exp(-u^2),
  /// 1/(1 + u^2), tanh(u), sin(u) in cos(u)^1000; of time alone the derivatives of what stands there, too. Steps that
  /// do not end there can miss it.
  std::vector<NodeIndex> peaks(std::span<const NodeIndex> roots);
  /// The derivative of a root by an input, the others being constant; none if it is no expression.
  NodeIndex derivative(NodeIndex root, std::uint32_t input);
  /// Where a formula can grow without bound.
  struct Pole {
    NodeIndex zero = 0;      ///< is zero there: a factor of a divisor, or the cosine below a tangent
    NodeIndex at = 0;        ///< the quotient, power or tangent
    NodeIndex whole = none;  ///< the hypotenuse of which `zero` is a leg, or none
    bool operator==(const Pole&) const = default;
  };
  /// The poles of the roots, one for each zero of each quotient.
  std::vector<Pole> poles(std::span<const NodeIndex> roots);
  /// A table, or a table of two variables in the direction of one of them, and what it is a table of.
  struct Passed {
    NodeIndex argument = 0;
    const std::vector<double>* x = nullptr;  ///< the rows
    std::vector<double> y;                   ///< the values at them, for each row of the other variable
    bool periodic = false;
  };
  /// All tables that the roots need, with arguments that are no constants. They point into this graph.
  std::vector<Passed> tables_passed(std::span<const NodeIndex> roots) const;
  /// Numbers of the inputs that the roots depend on, in increasing order.
  std::vector<std::uint32_t> inputs(std::span<const NodeIndex> roots) const;
  /// A copy of a root with other nodes in place of inputs: those of `by` that are not none.
  NodeIndex replaced(NodeIndex root, std::span<const NodeIndex> by);
  static constexpr NodeIndex none = static_cast<NodeIndex>(-1);

  const std::vector<Table>& tables() const { return tables_; }
  const std::vector<Surface>& surfaces() const { return surfaces_; }
  /// The nodes that the roots need, themselves among them, in increasing order.
  std::vector<NodeIndex> needed(std::span<const NodeIndex> roots) const;

 private:
  using Key = std::tuple<Code, NodeIndex, NodeIndex, NodeIndex, std::uint64_t>;
  NodeIndex put(const GraphNode&);
  void keep_switch(NodeIndex, std::vector<NodeIndex>& found) const;
  void keep_extremum(NodeIndex value, NodeIndex argument, std::vector<NodeIndex>& found);
  void keep_factors(NodeIndex divisor, NodeIndex quotient, NodeIndex whole, std::vector<Pole>& found) const;
  void rows_of(const GraphNode&, std::vector<NodeIndex>& found);
  void keep_knots(Table bending, NodeIndex x, std::vector<NodeIndex>& found);
  std::vector<double> across(const Surface&, bool along_x) const;
  bool is_even_power(const GraphNode&) const;
  bool is_constant(NodeIndex i) const { return nodes_[i].code == Code::constant; }

  std::vector<GraphNode> nodes_;
  std::map<Key, NodeIndex> known_;
  std::vector<Table> tables_;
  std::vector<Surface> surfaces_;
  TextPlace place_;
};

}  // namespace polyform::host::inline expressions
