// Formulas of the model file: {expression: …} in the place of functions of time, and the list `signals`.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "framework/host/expressions/formula.hpp"
#include "framework/host/expressions/formula_force.hpp"
#include "framework/host/reading/names.hpp"
#include "framework/host/reading/parameters.hpp"

namespace polyform::host::inline reading {

/// Reads expressions of time, state and signals into one graph for the whole model.
class FormulaReader {
 public:
  FormulaReader(const Names& names, Description& storage) : names_(names), storage_(storage) {}

  /// The node of an expression; nothing after a report.
  std::optional<expressions::NodeIndex> expression(const Value& text);
  /// The node of a number, of an expression as a text, or of a function of time in any form.
  std::optional<expressions::NodeIndex> operand(const Value&);
  /// A node as a function of time: a constant, a formula of time, or one of the state. Nothing after a report.
  std::optional<TimeFunction> function(const Value& where, expressions::NodeIndex);
  /// The node of a function of time.
  expressions::NodeIndex node_of(const TimeFunction&);
  expressions::NodeIndex time() { return formulas_.graph.input(0); }

  /// The list `signals`; what its items say is read where it is asked for first, and all of it by finish_signals().
  void define_signals(const Value& list);
  void finish_signals();
  /// The node of a signal; Graph::none if that could not be read, which is reported. Throws ExpressionError where
  /// there is none of that name.
  expressions::NodeIndex signal(const std::string& name, std::size_t at);
  std::vector<std::string_view> signal_names() const;
  /// The node of a number that results have a column for: a state of a signal; an output or a state of a force, which
  /// resolve_channels finds once all forces are read. Throws ExpressionError where a signal has no such state.
  expressions::NodeIndex channel(const Value& where, std::string_view name, std::size_t at);
  /// Finds the forces whose numbers are asked for; reports where there is none of that name.
  void resolve_channels();

  bool has_signals() const { return !signals_.empty(); }
  std::size_t signal_count() const { return signals_.size(); }
  /// The signals as outputs of the element that carries them, and its states.
  std::vector<expressions::FormulaOutput> outputs() const;
  const std::vector<expressions::FormulaState>& states() const { return states_; }
  const std::vector<expressions::FormulaSample>& samples() const { return samples_; }
  const std::vector<expressions::FormulaLimit>& limits() const { return limits_; }
  expressions::Formulas& formulas() { return formulas_; }

 private:
  friend class SignalBlocks;
  struct Signal {
    const Value* item;
    std::string name;
    expressions::NodeIndex node = expressions::Graph::none;
    enum class Progress { none, going, done } progress = Progress::none;
  };
  void read_signal(Signal&);
  /// A number of a force that a formula reads.
  struct Channel {
    std::string name, path;
    Place place;
    Report* report;
    std::uint32_t input;  ///< of the graph
  };
  bool find_channel(const Channel&);
  bool find_number(const Channel&, const ModuleItem& owner);
  std::optional<expressions::NodeIndex> signal_state(std::string_view name, std::size_t at);

  const Names& names_;
  Description& storage_;
  expressions::Formulas formulas_;
  std::deque<Value> values_;
  std::deque<Signal> signals_;
  std::map<std::string, Signal*, std::less<>> by_name_;
  std::vector<Signal*> going_;
  std::deque<std::function<void()>> waiting_;  ///< inputs of signals that do not follow from them at the same instant
  std::vector<Channel> channels_;
  std::vector<expressions::FormulaState> states_;
  std::vector<expressions::FormulaSample> samples_;
  std::vector<expressions::FormulaLimit> limits_;
};

}  // namespace polyform::host::inline reading
