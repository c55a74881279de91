// The types of signals: how each follows from its input, as nodes of the graph and states with their rates.
#pragma once

#include <functional>
#include <string>

#include "framework/host/reading/formulas.hpp"

namespace polyform::host::inline reading {

/// Reads one item of the list `signals`.
/// Its functions are many because each type of signal has one that reads it, and these share some small ones.
class SignalBlocks {
 public:
  using NodeIndex = expressions::NodeIndex;
  /// The reader, the name and the item that is read outlive all inputs that are read later.
  SignalBlocks(FormulaReader& reader, const std::string& name) : reader_(reader), name_(name) {}

  /// The signal's node; nothing after a report.
  std::optional<NodeIndex> read(const Value& item);

  /// The types, for the schema and for suggestions.
  static const std::vector<std::string_view>& types();

 private:
  std::optional<NodeIndex> value(MapReader&);
  std::optional<NodeIndex> pid(MapReader&);
  std::optional<NodeIndex> rate_of_input(MapReader&);
  struct Integral;
  void integrate(const Integral&, NodeIndex error, NodeIndex without);
  std::optional<NodeIndex> transfer_function(MapReader&);
  std::optional<NodeIndex> integrator(MapReader&);
  std::optional<NodeIndex> limiter(MapReader&);
  std::optional<NodeIndex> delay(MapReader&);
  std::optional<NodeIndex> delayed_by_states(MapReader&, double time, std::size_t order, double initial);
  std::optional<NodeIndex> sampler(MapReader&);
  std::optional<NodeIndex> external(MapReader&);
  std::optional<NodeIndex> table(MapReader&);
  std::optional<NodeIndex> surface(MapReader&, const Value& inputs);

  /// What the input says; nothing after a report.
  static std::optional<Value> given_input(MapReader&);
  std::optional<NodeIndex> input(MapReader&);
  /// For a signal that does not follow from its input at the same instant: the input is read when all signals that are
  /// being read are known, so that loops through this one can be closed.
  void read_input_later(MapReader&, std::function<void(SignalBlocks&, NodeIndex)> use);
  /// A number of the block, or `otherwise` if it is not given.
  double number(MapReader&, std::string_view key, double otherwise);
  /// A new state; its rate is set later.
  NodeIndex state(std::string_view name, double initial, std::size_t& number);
  void set_rate(std::size_t state, NodeIndex);
  NodeIndex add(expressions::Code, NodeIndex a, NodeIndex b = 0, NodeIndex c = 0);
  NodeIndex constant(double);
  /// The node limited to lower and upper, if these are given.
  NodeIndex limited(NodeIndex, double lower, double upper);
  /// Adds the limits of a signal with an integral, the upper one first; what they are is filled in later.
  void define_limits(double lower, double upper);
  NodeIndex within(std::size_t limit);
  NodeIndex at_limits(NodeIndex, double lower, double upper, std::size_t first_limit);
  bool check_limits(MapReader&, double lower, double upper);

  FormulaReader& reader_;
  const std::string& name_;
  const Value* item_ = nullptr;
  bool good_ = true;
};

}  // namespace polyform::host::inline reading
