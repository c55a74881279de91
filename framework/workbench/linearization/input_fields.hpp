// Fields of elements as inputs: what may be varied, and a view in which they are.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/expressions/formula.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline linearization {

/// One number of one element: `motor.effort`, `wind.force[1]`.
struct InputField {
  std::string name;
  std::string_view unit;
  double value = 0;      ///< at the time asked for
  bool of_time = false;  ///< the field takes a function of time
  bool given = false;    ///< in the model, not by default
  enum class Of { force, constraint, module } of = Of::force;
  std::size_t group = 0, instance = 0, field = 0, component = 0;
};

/// All fields of forces, constraints and modules that hold numbers: those of type number or numbers, and functions of
/// time by their values at t.
std::vector<InputField> input_fields(const SystemView&, double t);

/// Those that the patterns name, in the order of the patterns. A pattern may hold `*` and `?`; without an index it
/// stands for all components. No pattern: fields given as functions of time (efforts, forces, prescribed motions,
/// voltages).
/// "none": none. Failure (bad_input) for a pattern that names nothing.
std::vector<InputField> select_inputs(const std::vector<InputField>& all, const std::vector<std::string>& patterns);

/// A copy of a view in which some fields differ by offsets; a function of time is shifted as a whole, so that its rates
/// stay. The original view and the inputs outlive it. Solvers and batches made of the view must be gone before the
/// next change.
class VariedView {
 public:
  VariedView(const SystemView&, std::span<const InputField> inputs);
  VariedView(const VariedView&) = delete;
  VariedView& operator=(const VariedView&) = delete;

  const SystemView& view() const { return view_; }
  /// Offsets from the model's values, one per input.
  void set(std::span<const double> offsets);

 private:
  struct Input {
    double number;                                                   ///< the model's
    double* varied_number;                                           ///< of the view, or nullptr
    const TimeFunction* function;                                    ///< the model's
    TimeFunction* varied_function;                                   ///< of the view, or nullptr
    std::vector<double> table;                                       ///< of that
    std::unique_ptr<expressions::ShiftedFunction> shifted_source{};  ///< of one that is the host's own code
  };
  template <class Group>
  void add(std::vector<Group>& groups, Strided<const Group> original, const InputField&);

  SystemView view_;
  std::vector<ForceInstances> forces_;
  std::vector<ConstraintInstances> constraints_;
  std::vector<ModuleInstances> modules_;
  std::deque<std::vector<ElementInstance>> instances_;
  std::deque<std::vector<FieldValue>> fields_;
  std::deque<std::vector<TimeFunction>> functions_;
  std::deque<std::vector<double>> numbers_;
  std::vector<Input> inputs_;
};

/// As matches(), for a name with an index at its end, which the pattern may leave out: `wind.force` for
/// `wind.force[1]`.
bool names_component(std::string_view pattern, std::string_view name);

}  // namespace polyform::host::linearization
