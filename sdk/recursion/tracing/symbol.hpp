// A number that remembers how it was computed: the kernels of the lanes, run on it once, leave behind all that they
// would do for one system, as a list of operations.
//
// Operations on constants are done at once, and what adds zero or multiplies by zero or one falls out, so that the
// zeros of a model (axes along the coordinates, planar mechanisms, symmetric bodies) leave no work. Equal operations
// are one. Of all this only products of several constants with a number round otherwise than the kernels themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "polyform/mechanics/pack.hpp"

namespace polyform::tracing {

enum class Operation : std::uint8_t {
  constant,
  input,
  add,
  subtract,
  multiply,
  divide,
  negate,
  absolute,
  greater,
  root,
  where_positive
};

/// Where inputs of a kernel come from and its outputs go: the arrays of CompiledRoom, and those of ClosingRoom
/// (compiled_device.hpp).
enum class Array : std::uint8_t {
  y,
  ydot,
  sines,
  cosines,
  constants,
  frames,
  axes,
  ground,
  cuts,
  cut_places,
  motions,
  loads,
  efforts,
  frame_motions,
  forces,
  power,
  asked,
  missed,
  missed_rates,
  extent,
  turns,
  steps,
  events
};
inline constexpr std::size_t array_count = 23;

struct Node {
  Operation operation = Operation::constant;
  Array array = Array::y;      ///< of an input
  std::uint32_t a = 0, b = 0;  ///< operands, or the place of an input in its array
  double value = 0;            ///< of a constant
};

/// An operand: a node of the trace under way. Without an argument zero, as double{} is.
struct Symbol {
  std::uint32_t node = 0;

  constexpr Symbol() = default;
  explicit Symbol(double);
  static Symbol input(Array, std::size_t place);

  Symbol& operator+=(const Symbol& b) { return *this = *this + b; }
  Symbol& operator-=(const Symbol& b) { return *this = *this - b; }
  Symbol& operator*=(const Symbol& b) { return *this = *this * b; }
  friend Symbol operator+(const Symbol&, const Symbol&);
  friend Symbol operator-(const Symbol&, const Symbol&);
  friend Symbol operator*(const Symbol&, const Symbol&);
  friend Symbol operator/(const Symbol&, const Symbol&);
  friend Symbol operator-(const Symbol&);
  friend Symbol abs(const Symbol&);
  friend Symbol max(const Symbol&, const Symbol&);
  friend Symbol sqrt(const Symbol&);
  friend Symbol where_positive(const Symbol&, const Symbol&);
  /// The value of a node of the trace.
  static Symbol of(std::uint32_t node) {
    Symbol s;
    s.node = node;
    return s;
  }
};

/// Marks are no values: the trace keeps what sets them, and all of them go into one mask.
struct SymbolMask {
  SymbolMask& operator|=(const SymbolMask&) { return *this; }
};
/// Where a > b does not hold, the lane is marked.
SymbolMask not_greater(const Symbol& a, const Symbol& b);

/// The operations of one system. One trace is under way at a time in a thread.
class Trace {
 public:
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  struct Output {
    Array array;
    std::uint32_t place, node;
    std::uint32_t phase;
  };
  struct Check {
    std::uint32_t a, b;  ///< a > b, or the lane is marked
    std::uint32_t phase;
  };

  /// From now on outputs and operations belong to the second kernel.
  void begin_second() { second_ = static_cast<std::uint32_t>(nodes_.size()); }
  void put(Array, std::size_t place, const Symbol&);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// The first operation of the second kernel.
  std::uint32_t second() const { return second_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<Check>& checks() const { return checks_; }

 private:
  friend struct Symbol;
  friend SymbolMask not_greater(const Symbol&, const Symbol&);
  friend Symbol operator+(const Symbol&, const Symbol&);
  friend Symbol operator-(const Symbol&, const Symbol&);
  friend Symbol operator*(const Symbol&, const Symbol&);
  friend Symbol operator/(const Symbol&, const Symbol&);
  friend Symbol operator-(const Symbol&);
  friend Symbol abs(const Symbol&);
  friend Symbol max(const Symbol&, const Symbol&);
  friend Symbol sqrt(const Symbol&);
  friend Symbol where_positive(const Symbol&, const Symbol&);

  struct Hash {
    std::size_t operator()(const Node&) const;
  };
  struct Equal {
    bool operator()(const Node&, const Node&) const;
  };

  static Trace& now() { return *current; }
  Symbol add(const Node&);
  Symbol add(Operation operation, const Symbol& a, const Symbol& b = {}) {
    return add({operation, Array::y, a.node, b.node, 0});
  }
  bool is(const Symbol& s, double value) const {
    return nodes_[s.node].operation == Operation::constant && nodes_[s.node].value == value;
  }
  bool is(const Symbol& s, Operation operation) const { return nodes_[s.node].operation == operation; }
  double value(const Symbol& s) const { return nodes_[s.node].value; }
  Symbol operand(const Symbol& s) const { return Symbol::of(nodes_[s.node].a); }
  Symbol second_operand(const Symbol& s) const { return Symbol::of(nodes_[s.node].b); }
  std::uint32_t phase() const { return second_ == 0 ? 0u : 1u; }

  static thread_local Trace* current;
  std::vector<Node> nodes_;
  std::unordered_map<Node, std::uint32_t, Hash, Equal> known_;
  std::vector<Output> outputs_;
  std::vector<Check> checks_;
  std::uint32_t second_ = 0;
};

}  // namespace polyform::tracing

namespace polyform {

template <>
struct LanesOf<tracing::Symbol> {
  static constexpr std::size_t count = 1;
  using Mask = tracing::SymbolMask;
  static void set(tracing::Symbol& x, std::size_t, double value) { x = tracing::Symbol(value); }
};

}  // namespace polyform
