// Forces whose fields hold formulas of the state, and the signals of a model: a type of the host's own around the types
// of these forces.
//
// The type has the fields of each force, one after the other, and two more: the bodies and the joints that formulas
// read. So the element is attached to those, and what it does depends on its input alone, as for every force: any
// formulation runs it. In each evaluation the values of all formulas are found first; the forces, which are batches of
// their own types, then find them in the place of functions of time. States of signals come before those of the forces.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/expressions/formula_programs.hpp"
#include "framework/host/expressions/state_reader.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/type_descriptor.hpp"

namespace polyform::host::inline expressions {

/// A number of the element that follows from its formulas: a state of a signal with its rate, or a signal itself.
struct FormulaState {
  std::string name;
  double initial = 0;
  NodeIndex rate = 0;
  NodeIndex start = Graph::none;  ///< the value at the start where it follows from what formulas read; else none
};
/// A sampler: it takes its input at each multiple of the interval and holds the value until the next one. The held
/// value is a state whose rate is zero, and which jumps.
struct FormulaSample {
  std::string name;
  double interval = 1, initial = 0;  ///< initial: the value that it holds before t = 0
  NodeIndex input = 0, start = 0;    ///< start: the value that it takes at t = 0, usually its input
};

/// A limit of a signal with an integral, which does not grow while the output is beyond it. The numbers have the sign
/// that is positive beyond the limit.
struct FormulaLimit {
  std::string name;
  NodeIndex beyond = 0;   ///< how far the output without limits is beyond, with the integral as its state is
  NodeIndex push = 0;     ///< the rate of that which the integral would give
  NodeIndex without = 0;  ///< `beyond` without the integral
  std::size_t state = 0;  ///< the integral, among the states of all signals
  double gain = 1;        ///< of the integral in `beyond`
};

struct FormulaOutput {
  std::string name;
  NodeIndex value = 0;
};

/// A force with formulas of the state among its fields.
struct FollowingForce {
  std::string name;
  const ForceType* type = nullptr;
  std::span<const FieldValue> fields{};  ///< with StateFormula in the place of formulas
  std::int32_t number = -1;              ///< StateInput::of for its states and outputs
};

/// What modules have to do with formulas: their fields whose values formulas give, and numbers that formulas read.
struct FollowingModules {
  struct Use {
    std::size_t field, component;  ///< of all modules, one after the other
    NodeIndex root;
  };
  /// Where the variables and the states of a module begin among those of all, behind the states of the element.
  struct Numbers {
    std::int32_t number;  ///< StateInput::of
    std::size_t variables, first_variable, first_state;
  };
  std::vector<Use> uses;
  std::vector<Numbers> numbers;
  std::size_t count = 0;  ///< of variables and states of all modules
};

/// A force type that stands for all forces with formulas of one system, one after the other as one instance.
/// Its members are what its descriptor points to, and the formulas with their places.
class FormulaForce final : public ForceType {
 public:
  /// What ForceType::query gives under this name: the element's numbers are named in full, without its own name.
  static constexpr std::string_view full_names = "polyform.host.full_names";

  /// What ForceType::query gives under this name: the FormulaForce itself, whose reader() lists the values that it
  /// gets.
  static constexpr std::string_view given_values = "polyform.host.given_values";

  /// Makes one force by itself, or the signals of a model with all forces that follow their states.
  FormulaForce(Formulas&, std::vector<FollowingForce>, std::vector<FormulaState> states = {},
               std::vector<FormulaSample> samples = {}, std::vector<FormulaOutput> outputs = {},
               std::vector<FormulaLimit> limits = {}, const FollowingModules& modules = {});

  /// The values of the two further fields.
  const std::vector<BodyIndex>& bodies() const { return reader_.bodies(); }
  const std::vector<JointIndex>& joints() const { return reader_.joints(); }

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept override;
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override;
  const void* query(std::string_view asked) const noexcept override {
    if (asked == given_values) return this;
    return asked == full_names && is_shared_ ? this : nullptr;
  }

  /// A force within the element: how many of the fields, markers and so on are its own, and where they begin.
  struct Part {
    std::string name{};
    const ForceType* type = nullptr;
    std::size_t field = 0, fields = 0, state = 0, states = 0, output = 0, outputs = 0, discrete = 0, discretes = 0;
    std::size_t marker = 0, markers = 0, joint = 0, joints = 0;
  };
  /// A formula in a field, and its place among the roots of the program. Fields of modules come behind those of the
  /// type.
  struct Use {
    std::size_t field, component, root;
  };
  const std::vector<Part>& parts() const { return parts_; }
  const std::vector<Use>& uses() const { return uses_; }
  const FormulaPrograms& programs() const { return programs_; }
  double shortest_time() const { return shortest_; }  ///< of changes that formulas make by the clock, s
  const StateReader& reader() const { return reader_; }
  /// The parts whose outputs formulas read, each behind those whose outputs its own formulas read.
  const std::vector<std::size_t>& read_parts() const { return read_parts_; }
  std::size_t module_numbers() const { return module_numbers_; }  ///< behind the states in what evaluations get
  const std::vector<FormulaState>& states() const { return states_; }
  /// Numbers of the states whose values at the start are formulas.
  const std::vector<std::size_t>& started() const { return started_; }
  const std::vector<FormulaSample>& samples() const { return samples_; }
  const std::vector<FormulaLimit>& limits() const { return limits_; }
  /// Different intervals of the samplers, s; those that end at one time take their inputs at once.
  const std::vector<double>& intervals() const { return intervals_; }
  std::span<const FormulaText> texts() const { return *texts_; }
  /// Whether the element stands for more than one force, so that its name is none of the model.
  bool is_shared() const { return is_shared_; }

 private:
  void add_part(const FollowingForce&);
  void describe();
  void find_read_parts(const Formulas&, const std::vector<FollowingForce>&, std::span<const std::uint32_t> inputs);
  void find_module_numbers(const Formulas&, const FollowingModules&, std::span<const std::uint32_t> inputs);
  bool check_read_outputs(const ElementInstance&, std::size_t number, FieldSink&) const;

  std::shared_ptr<const std::vector<FormulaText>> texts_;
  std::vector<FormulaState> states_;
  std::vector<std::size_t> started_;
  std::vector<FormulaSample> samples_;
  std::vector<FormulaLimit> limits_;
  std::vector<double> intervals_;
  double shortest_ = never;
  bool is_shared_ = false;
  StateReader reader_;
  FormulaPrograms programs_;
  std::vector<Part> parts_;
  std::vector<Use> uses_;
  std::vector<std::size_t> read_parts_;
  std::vector<bool> is_read_;  ///< per output of the element
  std::deque<std::string> names_;
  std::vector<FieldSpec> specs_;
  std::vector<Variable> state_names_, output_names_;
  std::vector<DiscreteVariable> discrete_names_;
  TypeDescriptor descriptor_;
  std::string type_name_;
  std::size_t module_numbers_ = 0;
};

}  // namespace polyform::host::inline expressions
