#include "framework/host/reading/formulas.hpp"

#include <fmt/format.h>

#include <numbers>

#include "framework/host/reading/signal_blocks.hpp"
#include "framework/host/reading/time_functions.hpp"

namespace polyform::host::inline reading {

using expressions::Code;
using expressions::ExpressionError;
using expressions::Graph;
using expressions::NodeIndex;
using expressions::StateInput;

namespace {

/// Words of expressions that change with the motion, in addition to parameters.
class MotionWords final : public ParameterWords {
 public:
  MotionWords(const Value& where, FormulaReader& reader, const Names& names)
      : ParameterWords(where.scope(), reader.formulas().graph), where_(where), reader_(reader), names_(names) {}

  std::optional<NodeIndex> value(std::string_view name, std::size_t at) override {
    const std::optional<NodeIndex> parameter = ParameterWords::value(name, at);
    if (name != "t") return parameter;
    if (parameter)
      throw ExpressionError{at, "t is the time, and a parameter has this name too", "Name the parameter otherwise."};
    return reader_.time();
  }
  bool takes_names(std::string_view function) const override {
    return function == "signal" || function == "channel" || kind_of(function) != StateInput::Kind::time;
  }
  NodeIndex call(std::string_view function, std::size_t at, const std::vector<Argument>& arguments) override {
    if (function == "signal") {
      expect(function, at, arguments, 1);
      return reader_.signal(std::string(arguments[0].text), arguments[0].at);
    }
    if (function == "channel") {
      expect(function, at, arguments, 1);
      return reader_.channel(where_, arguments[0].text, arguments[0].at);
    }
    StateInput input{.kind = kind_of(function)};
    if (input.kind == StateInput::Kind::position || input.kind == StateInput::Kind::velocity ||
        input.kind == StateInput::Kind::acceleration) {
      expect(function, at, arguments, 2);
      input.of = static_cast<std::int32_t>(
          named<JointIndex>(arguments[0], [&](const Value& v) { return read_joint(v, names_); }));
      input.with_index = arguments.size() > 1;
      if (input.with_index) input.index = index(arguments[1]);
    } else {
      expect(function, at, arguments, 1);
      const BodyIndex body = named<BodyIndex>(arguments[0], [&](const Value& v) { return read_body(v, names_); });
      if (is_ground(body)) return graph().constant(0);
      input.of = static_cast<std::int32_t>(body);
    }
    return reader_.formulas().input(input);
  }
  std::vector<std::string_view> known() const override {
    std::vector<std::string_view> words = ParameterWords::known();
    words.insert(words.end(), {"t",  "q",      "v",       "x", "y",  "z",  "vx", "vy",  "vz",  "wx", "wy",
                               "wz", "signal", "channel", "a", "ax", "ay", "az", "dwx", "dwy", "dwz"});
    return words;
  }
  std::string hint() const override {
    std::string text =
        "Known: t, q(joint), v(joint), x(body) to wz(body), signal(name), channel(force.output), "
        "functions such as sin";
    const std::vector<std::string_view> parameters = ParameterWords::known();
    if (!parameters.empty()) text += fmt::format(", and the parameters {}", listing(parameters));
    return text + ".";
  }
  std::string why_not(std::string_view name) const override {
    if (name == "q" || name == "v" || name == "a") return fmt::format("{0} is that of a joint: {0}(joint)", name);
    if (kind_of(name) != StateInput::Kind::time) return fmt::format("{0} is that of a body: {0}(body)", name);
    if (name == "time") return "the time is written t";
    if (name == "channel") return "channel is that of a column: channel(spring.tension)";
    return name == "signal" ? "signal is that of a name: signal(name)" : std::string{};
  }

 private:
  static StateInput::Kind kind_of(std::string_view function) {
    using Kind = StateInput::Kind;
    constexpr std::pair<std::string_view, Kind> kinds[] = {
        {"q", Kind::position}, {"v", Kind::velocity},     {"x", Kind::x},    {"y", Kind::y},   {"z", Kind::z},
        {"vx", Kind::vx},      {"vy", Kind::vy},          {"vz", Kind::vz},  {"wx", Kind::wx}, {"wy", Kind::wy},
        {"wz", Kind::wz},      {"a", Kind::acceleration}, {"ax", Kind::ax},  {"ay", Kind::ay}, {"az", Kind::az},
        {"dwx", Kind::dwx},    {"dwy", Kind::dwy},        {"dwz", Kind::dwz}};
    for (const auto& [name, kind] : kinds)
      if (name == function) return kind;
    return Kind::time;
  }
  static void expect(std::string_view function, std::size_t at, const std::vector<Argument>& given, std::size_t most) {
    if (given.size() <= most) return;
    throw ExpressionError{at, fmt::format("{} has {} arguments", function, given.size()),
                          most == 2 ? fmt::format("Write {0}(joint), or {0}(joint, index).", function)
                                    : fmt::format("Write {}(name); a name with a comma stands in quotes.", function)};
  }
  /// What a name in the text means; reports as for a name that stands by itself.
  template <class Index, class Read>
  Index named(const Argument& argument, const Read& read) {
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = argument.text;
    node.place = place_in_text(where_, argument.at);
    const std::optional<Index> found = read(Value(node, where_.path(), where_.report(), where_.scope()));
    if (!found) throw ExpressionError{};  // it has been reported
    return *found;
  }
  static std::uint32_t index(const Argument& argument) {
    std::uint32_t value = 0;
    for (const char c : argument.text) {
      if (c < '0' || c > '9' || value > 100'000'000)
        throw ExpressionError{argument.at, fmt::format("found '{}', expected the index of a coordinate", argument.text),
                              "Coordinates count from 0, as in the columns of results: q(ball, 2)."};
      value = 10 * value + static_cast<std::uint32_t>(c - '0');
    }
    return value;
  }

  const Value& where_;
  FormulaReader& reader_;
  const Names& names_;
};

}  // namespace

std::optional<NodeIndex> FormulaReader::expression(const Value& value) {
  const Node& node = value.node();
  if (node.kind != Node::Kind::scalar || node.text.empty()) {
    value.unexpected("an expression as a text, such as \"-k*q(pin)\"");
    return std::nullopt;
  }
  Place at = value.place();
  if (node.quoted && node.text.find('\n') == std::string::npos) ++at.column;
  formulas_.texts->push_back(
      {node.text, value.path().text(), std::string(value.report().file_name()), at.line, at.column});
  const auto number = static_cast<std::uint32_t>(formulas_.texts->size() - 1);
  try {
    MotionWords words(value, *this, names_);
    const NodeIndex root = expressions::parse_expression(node.text, number, formulas_.graph, words);
    return root == Graph::none ? std::nullopt : std::optional(root);
  } catch (const ExpressionError& e) {
    if (!e.message.empty())
      value.report().error(place_in_text(value, e.at), value.path(),
                           fmt::format("{}, at character {} of the expression", e.message, e.at + 1), e.remedy);
    return std::nullopt;
  }
}

std::optional<NodeIndex> FormulaReader::operand(const Value& value) {
  if (value.node().kind == Node::Kind::scalar) return expression(value);
  const std::optional<TimeFunction> f = read_time_function(value, {}, storage_, this);
  return f ? std::optional(node_of(*f)) : std::nullopt;
}

NodeIndex FormulaReader::node_of(const TimeFunction& f) {
  using Kind = TimeFunction::Kind;
  Graph& g = formulas_.graph;
  const NodeIndex t = time();
  switch (f.kind) {
    case Kind::constant: return g.constant(f.constant);
    case Kind::polynomial: {
      NodeIndex sum = g.constant(f.data.back());
      for (std::size_t i = f.data.size() - 1; i-- > 0;)
        sum = g.add(Code::add, g.add(Code::multiply, sum, t), g.constant(f.data[i]));
      return sum;
    }
    case Kind::ramp: {
      NodeIndex at = g.add(Code::maximum, t, g.constant(f.start));
      if (std::isfinite(f.end)) at = g.add(Code::minimum, at, g.constant(f.end));
      return g.add(Code::multiply, g.constant(f.rate), g.add(Code::subtract, at, g.constant(f.start)));
    }
    case Kind::sine: {
      const NodeIndex angle = g.add(Code::add, g.add(Code::multiply, g.constant(2 * std::numbers::pi * f.frequency), t),
                                    g.constant(f.phase));
      return g.add(Code::add, g.constant(f.offset),
                   g.add(Code::multiply, g.constant(f.amplitude), g.add(Code::sine, angle)));
    }
    case Kind::linear_table:
    case Kind::cubic_table: {
      expressions::Table table;
      const std::size_t stride = f.kind == Kind::cubic_table ? 3 : 2;
      for (std::size_t i = 0; i < f.data.size(); i += stride) {
        table.x.push_back(f.data[i]);
        table.y.push_back(f.data[i + 1]);
        if (stride == 3) table.second.push_back(f.data[i + 2]);
      }
      return g.table(std::move(table), t);
    }
    case Kind::other: break;
  }
  return expressions::formula_root(f);
}

std::optional<TimeFunction> FormulaReader::function(const Value& where, NodeIndex root) {
  TimeFunction f;
  const Graph& g = formulas_.graph;
  if (g[root].code == Code::constant) {
    f.constant = g[root].value;
    return f;
  }
  f.kind = TimeFunction::Kind::other;
  const NodeIndex roots[] = {root};
  if (g.inputs(roots).empty()) {
    const expressions::Program program(g, roots, {});
    std::vector<double> work(program.registers());
    program.prepare(std::span(work));
    program.run(std::span(work));
    if (const auto trouble = program.trouble(0, work)) {
      where.error(expressions::describe(*trouble, *formulas_.texts), "Look at the values of its parameters.");
      return std::nullopt;
    }
    f.kind = TimeFunction::Kind::constant;
    f.constant = work[program.root(0)];
    return f;
  }
  const auto keep = [&](auto made) {
    f.source = made.get();
    storage_.made.push_back(std::move(made));
  };
  if (formulas_.of_time_alone(root))
    keep(std::make_shared<const expressions::TimeFormula>(formulas_, root));
  else
    keep(std::make_shared<const expressions::StateFormula>(root));
  return f;
}

void FormulaReader::define_signals(const Value& list) {
  const Value& kept = values_.emplace_back(list);
  for (std::size_t i = 0; i < kept.node().items.size(); ++i) {
    const Value& item = values_.emplace_back(kept.item(i));
    MapReader map(item);
    if (!map.is_map()) continue;
    const auto name_value = map.require("name", "every signal has one");
    const std::optional<std::string> name = name_value ? read_name(*name_value) : std::nullopt;
    if (!name) continue;
    Signal& signal = signals_.emplace_back(Signal{&item, *name});
    if (!by_name_.emplace(*name, &signal).second) {
      name_value->error(fmt::format("the name {} is taken by another signal", show(*name)), "Give each its own name.");
      signals_.pop_back();
    }
  }
}

std::vector<std::string_view> FormulaReader::signal_names() const {
  std::vector<std::string_view> names;
  for (const Signal& s : signals_) names.push_back(s.name);
  return names;
}

NodeIndex FormulaReader::signal(const std::string& name, std::size_t at) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    const std::vector<std::string_view> names = signal_names();
    throw ExpressionError{at, fmt::format("there is no signal {}", show(name)),
                          names.empty() ? "The model has no list 'signals'."
                                        : did_you_mean(name, names) + fmt::format("Signals: {}.", listing(names))};
  }
  Signal& signal = *found->second;
  if (signal.progress == Signal::Progress::going) {
    std::string loop;
    const auto first = std::ranges::find(going_, &signal);
    for (auto s = first; s != going_.end(); ++s) loop += (*s)->name + " -> ";
    throw ExpressionError{at, fmt::format("an algebraic loop of signals: {}{}", loop, name),
                          "Each needs the value of the next at the same instant; a transfer-function of lower degree "
                          "above than below, or an integrator, breaks the loop."};
  }
  constexpr std::size_t deepest = 1000;
  if (going_.size() > deepest)
    throw ExpressionError{at, "more than 1000 signals hang on each other in a row",
                          "List the signals in the order in which they follow from each other."};
  if (signal.progress == Signal::Progress::none) read_signal(signal);
  if (signal.node == Graph::none) throw ExpressionError{};  // it is reported where the signal stands
  return signal.node;
}

std::optional<NodeIndex> FormulaReader::signal_state(std::string_view name, std::size_t at) {
  if (!name.starts_with("signal.")) return std::nullopt;
  const std::string_view rest = name.substr(7);
  if (by_name_.contains(rest)) return signal(std::string(rest), at);
  const std::size_t dot = rest.rfind('.');
  const auto owner = dot == rest.npos ? by_name_.end() : by_name_.find(rest.substr(0, dot));
  if (owner == by_name_.end()) return std::nullopt;
  if (owner->second->progress == Signal::Progress::none) read_signal(*owner->second);
  const auto state = std::ranges::find(states_, name, &expressions::FormulaState::name);
  if (state != states_.end())
    return formulas_.input(
        {.kind = StateInput::Kind::state, .index = static_cast<std::uint32_t>(state - states_.begin())});
  const auto held = std::ranges::find(samples_, name, &expressions::FormulaSample::name);
  if (held != samples_.end())
    return formulas_.input(
        {.kind = StateInput::Kind::held, .index = static_cast<std::uint32_t>(held - samples_.begin())});
  if (owner->second->progress == Signal::Progress::done && owner->second->node == Graph::none)
    throw ExpressionError{};  // it is reported where the signal stands
  std::vector<std::string_view> known;
  for (const auto& one : states_)
    if (one.name.starts_with(name.substr(0, 8 + dot))) known.push_back(std::string_view(one.name).substr(8 + dot));
  throw ExpressionError{at, fmt::format("the signal {} has no state {}", owner->first, show(rest.substr(dot + 1))),
                        known.empty() ? "It has none." : fmt::format("Its states: {}.", listing(known))};
}

void FormulaReader::read_signal(Signal& signal) {
  signal.progress = Signal::Progress::going;
  going_.push_back(&signal);
  const std::optional<NodeIndex> node = SignalBlocks(*this, signal.name).read(*signal.item);
  signal.node = node.value_or(Graph::none);
  going_.pop_back();
  signal.progress = Signal::Progress::done;
  // Inputs may follow from any signal, also from those that were being read.
  while (going_.empty() && !waiting_.empty()) {
    const std::function<void()> read = std::move(waiting_.front());
    waiting_.pop_front();
    read();
  }
}

void FormulaReader::finish_signals() {
  for (Signal& signal : signals_)
    if (signal.progress == Signal::Progress::none) read_signal(signal);
}

std::vector<expressions::FormulaOutput> FormulaReader::outputs() const {
  std::vector<expressions::FormulaOutput> out;
  for (const Signal& s : signals_)
    if (s.node != Graph::none) out.push_back({"signal." + s.name, s.node});
  return out;
}

}  // namespace polyform::host::inline reading
