// Formulas of a model: expressions of time and state that give values to the fields of its elements.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/expressions/graph.hpp"
#include "framework/host/expressions/next_root.hpp"
#include "framework/host/expressions/poles.hpp"
#include "framework/host/expressions/program.hpp"
#include "polyform/contract/index.hpp"
#include "polyform/contract/time_function.hpp"

namespace polyform::host::inline expressions {

/// What an input of the graph stands for. Bodies and joints are numbered as in the model file.
struct StateInput {
  enum class Kind : std::uint8_t {
    time,
    position,  ///< q of a joint
    velocity,  ///< v of a joint
    x,         ///< x to z: the position of a body's origin
    y,
    z,
    vx,  ///< vx to vz: the velocity of that origin
    vy,
    vz,
    wx,  ///< wx to wz: the angular velocity of the body
    wy,
    wz,
    acceleration,  ///< the rate of v of a joint; with the next six, for rows of constraints only
    ax,            ///< ax to dwz: the rates of vx to wz
    ay,
    az,
    dwx,
    dwy,
    dwz,
    state,           ///< of a signal
    held,            ///< what a sampler holds
    within,          ///< 1 while a limit of a signal leaves its integral alone, else 0
    element_state,   ///< of a force
    element_output,  ///< of a force
    given,           ///< a value that another program gives
    module_number    ///< of a module: its variables are counted first, then its states
  };
  Kind kind = Kind::time;
  std::int32_t of = -1;     ///< the body, -1 for ground, the joint, force or module
  std::uint32_t index = 0;  ///< which coordinate of the joint or number of the element; of signals, which among all
  bool with_index = true;   ///< of a joint: whether the text of the formula names the index
  bool operator==(const StateInput&) const = default;
};

/// Whether an input is a rate of velocities: it is unknown until the equations of motion are solved.
constexpr bool is_acceleration(StateInput::Kind kind) {
  return kind >= StateInput::Kind::acceleration && kind <= StateInput::Kind::dwz;
}

/// A text and where it stands.
struct FormulaText {
  std::string text, path, file;
  int line = 0, column = 0;  ///< of the first character of the text
  /// "file:line:column: path", with the column of a byte of the text.
  std::string place(std::size_t byte) const;
};

/// A number that another program gives while a solver runs: a signal of the type `external`.
class GivenValue {
 public:
  GivenValue(std::string name, double initial) : name_(std::move(name)), initial_(initial) {}
  const std::string& name() const noexcept { return name_; }  ///< of the signal
  /// The value in the model, which holds until another program gives one.
  double initial() const noexcept { return initial_; }
  /// From now on the value is that of a source that outlives this object.
  void follow(const TimeFunction::Source* source) noexcept { source_ = source; }
  double at(double t) const noexcept { return source_ == nullptr ? initial_ : source_->value(t).value; }

 private:
  std::string name_;
  double initial_;
  const TimeFunction::Source* source_ = nullptr;
};

/// All formulas of a model: one graph, whose input 0 is the time.
struct Formulas {
  Graph graph;
  std::vector<StateInput> inputs{StateInput{}};
  std::vector<std::shared_ptr<GivenValue>> given;
  std::shared_ptr<std::vector<FormulaText>> texts = std::make_shared<std::vector<FormulaText>>();

  NodeIndex input(const StateInput&);
  /// The rate of an expression that reads the time, positions of bodies, and positions of joints that have a rate;
  /// Graph::none if it reads anything else, or if its derivative is no expression.
  NodeIndex rate(NodeIndex root);
  bool of_time_alone(NodeIndex root) const;
  /// Expressions that are zero where what a condition or bound in a root compares is largest or smallest along the
  /// motion, as far as they are known: near there a condition may hold very shortly. None for those of the time alone.
  std::vector<NodeIndex> turnings(std::span<const NodeIndex> roots);
};

/// What to do about a formula that has no value.
inline constexpr std::string_view keep_in_domain =
    "Keep its arguments where it has one, for example by max(x, 1e-9) or if(condition, a, b).";

/// The shortest period of the sines, cosines and stairs in the roots whose arguments grow steadily with the time;
/// infinity if there is none, s.
double shortest_period(const Graph&, std::span<const NodeIndex> roots);

/// "`1/t` (model.yaml:7:20: forces[0].effort)", for a place within the texts.
std::string shown_part(const TextPlace&, std::span<const FormulaText>);
/// "division by zero in `1/t` (model.yaml:7:20: forces[0].effort)".
std::string describe(const Trouble&, std::span<const FormulaText>);

/// A formula of time as a function of time.
class TimeFormula final : public TimeFunction::Source {
 public:
  static constexpr std::string_view interface_name = "polyform.host.time_formula";
  TimeFormula(Formulas&, NodeIndex root);
  NodeIndex root() const { return root_; }
  const void* query(std::string_view asked) const noexcept override { return asked == interface_name ? this : nullptr; }
  TimeFunction::Value value(double t) const noexcept override;
  double next_knot(double t) const noexcept override;
  double shortest_time() const noexcept override { return shortest_; }
  /// The first pole after a time and up to another, s; `never` if there is none.
  double next_pole(double after, double until) const;
  /// Notes the pole at t as what could not be computed.
  void note_pole(double t) const noexcept;

 private:
  bool is_pole(double t) const;
  std::size_t nearest_pole(double t) const noexcept;

  NodeIndex root_;
  double shortest_;
  Program program_;
  TimeRoots switches_, pole_roots_;
  Poles poles_;
  std::shared_ptr<const std::vector<FormulaText>> texts_;
};

/// Stands in a field for a formula of the state. The element gets the formula's value at each evaluation
/// (formula_force.hpp).
class StateFormula final : public TimeFunction::Source {
 public:
  static constexpr std::string_view interface_name = "polyform.host.state_formula";
  explicit StateFormula(NodeIndex root) : root_(root) {}
  NodeIndex root() const { return root_; }
  TimeFunction::Value value(double) const noexcept override { return {no_number, no_number, no_number}; }
  double next_knot(double) const noexcept override { return std::numeric_limits<double>::infinity(); }
  double shortest_time() const noexcept override { return std::numeric_limits<double>::infinity(); }
  const void* query(std::string_view asked) const noexcept override { return asked == interface_name ? this : nullptr; }

 private:
  NodeIndex root_;
};
/// A function with an offset, or a formula with one: a field that is varied as an input.
class ShiftedFunction final : public TimeFunction::Source {
 public:
  static constexpr std::string_view interface_name = "polyform.host.shifted_function";
  explicit ShiftedFunction(const TimeFunction& base) : base_(base) {}
  double offset = 0;
  TimeFunction::Value value(double t) const noexcept override {
    TimeFunction::Value value = base_(t);
    value.value += offset;
    return value;
  }
  double next_knot(double t) const noexcept override { return base_.next_knot(t); }
  double shortest_time() const noexcept override { return base_.shortest_time(); }
  const void* query(std::string_view asked) const noexcept override { return asked == interface_name ? this : nullptr; }

 private:
  TimeFunction base_;
};

/// The formula of the state that stands in a field; nullptr for any other function of time.
const StateFormula* state_formula(const TimeFunction&);

/// The node of the formula, of time or of the state, behind a function of time; Graph::none for any other function.
NodeIndex formula_root(const TimeFunction&);

/// The text for a pole.
inline constexpr const char* divided_by_zero = "division by zero";

/// What formulas of this thread could not compute last: kept until it is cleared, for the message of a run that ends.
void note_trouble(const Trouble&, std::span<const FormulaText>, double time) noexcept;
void clear_trouble() noexcept;
/// Notes where a formula with finite values is strained, while such places are looked for.
void note_strained(const Program&, std::size_t root, std::span<const double> work, std::span<const FormulaText> texts,
                   double time) noexcept;
/// As long as it lives, evaluations note where formulas are strained.
class LookForStrained {
 public:
  LookForStrained() noexcept;
  ~LookForStrained();
  LookForStrained(const LookForStrained&) = delete;
  LookForStrained& operator=(const LookForStrained&) = delete;
};
/// A sentence that names the formula, its place and the time; "" if there was none after the time `since`, s. Trouble
/// in a step that was tried in vain and made smaller does not explain later failures.
std::string last_trouble(double since);

}  // namespace polyform::host::inline expressions
