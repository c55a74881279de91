// How an FMU is coupled to the model: its fields, and the variables that they name.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fmu.hpp"
#include "kept_states.hpp"
#include "polyform/contract/force.hpp"

namespace polyform::fmus {

enum Field : std::size_t {
  file,
  kind,
  joints,
  positions,
  velocities,
  commands,
  command_values,
  efforts,
  channels,
  start_values,
  interval,
  field_count
};
extern const std::array<FieldSpec, field_count> specs;

/// An input or an output that is a coordinate, a velocity or an effort of a joint.
struct Tap {
  static constexpr Reference none = static_cast<Reference>(-1);
  Reference reference = none;
  FmuUnit unit;
  std::size_t element = 0, values = 1;  ///< of an array: which one, of how many
  /// From the FMU's unit to SI, and back.
  double to_si(double value) const noexcept { return unit.factor * value + unit.offset; }
  double from_si(double value) const noexcept { return (value - unit.offset) / unit.factor; }
};

/// Variables that one call reads or sets: each once, an array with all of its values.
struct VariableList {
  /// The place of a variable, or of an element of an array, among the values; it becomes one of the list.
  std::size_t place_of(Reference, std::size_t element, std::size_t values);
  std::vector<Reference> references;
  std::vector<std::size_t> begins;  ///< of each
  std::size_t values = 0;
};

/// The data that one element gives to its FMU and takes from it. The lists of taps have one entry per coordinate.
struct Coupling {
  const Fmu* fmu = nullptr;
  std::vector<Tap> positions, velocities;
  std::vector<Tap> commands;
  VariableList outputs;             ///< efforts first, then channels, in the units of the FMU
  std::vector<std::size_t> places;  ///< of the outputs among the values of that list
  std::vector<FmuUnit> units;       ///< of the outputs
  std::vector<std::string> names;   ///< of the outputs
  std::vector<Tap> efforts;         ///< per velocity coordinate; the reference is the number of the output
  std::vector<Reference> parameters;
  std::vector<double> parameter_values;
  std::vector<CountedValue> counted;  ///< start values that are no real numbers
  double interval = 0;

  /// Adds the efforts that the outputs give, in the FMU's units, to those of the joints; returns their power, W.
  double add_efforts(std::span<const double> outputs, std::span<const double> v,
                     std::span<double> efforts) const noexcept;
};

/// The values of an instance before its initialization: the parameters, and the inputs that functions of time give at t
/// = 0. The initialization sets all inputs, where the motion is known.
struct StartValues {
  StartValues(const Coupling&, Strided<const FieldValue> fields);
  std::vector<Reference> references;
  std::vector<double> values;
  std::span<const CountedValue> counted;
};

/// Which of the taps has a unit that cannot be that of its coordinate, as a sentence; "" if all fit.
std::string misfit_of_units(const Coupling&, Strided<const JointShape> joints);

/// Opens the FMU and finds the variables that the fields name. Throws FmuError.
Coupling coupling_of(Strided<const FieldValue> fields);

/// The inputs of one instance at a state: those of q, v and the commands, except commands that are none.
struct InputValues {
  InputValues(const Coupling&, Strided<const FieldValue> fields);
  void set(const double* q, const double* v, double t) noexcept;
  VariableList variables;
  std::vector<double> values;

 private:
  struct Wire {
    std::size_t coordinate;
    Tap tap;
    std::size_t place;  ///< among the values
  };
  struct Command {
    TimeFunction function;
    std::size_t place;
  };
  std::vector<Wire> of_q, of_v;
  std::vector<Command> commands;
};

/// The FMU of one element, with its place among the coordinates of all elements of a batch. It is instantiated, and
/// begins with the first of the starts that it is given.
struct CoupledFmu {
  CoupledFmu(const Coupling&, Strided<const FieldValue> fields);
  CoupledFmu(const Coupling&, Strided<const FieldValue> fields, const StartValues&);
  /// Initializes the FMU at a state of the model, with its inputs there, and keeps this start: its time and inputs.
  /// false after a failure.
  bool begin(const ForceInput&, KeptStates& starts) noexcept;
  /// Initializes it as at a kept start. 0: at time 0 with the inputs that functions of time give, without the motion.
  bool begin_as(std::size_t number, const KeptStates& starts) noexcept;
  /// The time of a kept start, s; NaN if there is none of that number.
  double time_of_start(double number, const KeptStates& starts) noexcept;
  /// Gives the FMU its inputs at a state of the model.
  bool set_inputs(const ForceInput&) noexcept;
  /// The outputs that the coupling names.
  bool take_outputs(const Coupling&, std::span<double> out) noexcept;
  const Calls& calls() const noexcept { return fmu.calls(); }
  bool good(int status, const char* call) const noexcept { return fmu.good(status, call); }
  Handle handle() const noexcept { return fmu.handle(); }

  FmuInstance fmu;
  InputValues inputs;
  std::size_t q = 0, v = 0;
  std::vector<double> read;          ///< room for the values of the outputs
  std::optional<std::size_t> start;  ///< the number of that with which it has begun

 private:
  bool send_inputs() noexcept;
  /// In the initialization: elements of arrays that nothing is coupled to keep their values.
  bool read_arrays() noexcept;

  std::pair<double, double> known_time_{0, 0};  ///< the number of a start, and its time
};

/// A part for each instance, in their order, with q and v counted on. Throws FmuError.
template <class Part>
std::deque<Part> parts_of(const Coupling& coupling, Strided<const ElementInstance> instances) {
  std::deque<Part> parts;
  std::size_t q = 0, v = 0;
  for (const ElementInstance& instance : instances) {
    Part& part = parts.emplace_back(coupling, instance.fields);
    part.q = q;
    part.v = v;
    for (const JointShape& joint : instance.joints) {
      q += joint.nq;
      v += joint.nv;
    }
  }
  return parts;
}

}  // namespace polyform::fmus
