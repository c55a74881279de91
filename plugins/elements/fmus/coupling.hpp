// How an FMU is coupled to the model: its fields, and the variables that they name.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fmu.hpp"
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
  /// From the FMU's unit to SI, and back.
  double to_si(double value) const noexcept { return unit.factor * value + unit.offset; }
  double from_si(double value) const noexcept { return (value - unit.offset) / unit.factor; }
};

/// The data that one element gives to its FMU and takes from it. The lists of taps have one entry per coordinate.
struct Coupling {
  const Fmu* fmu = nullptr;
  std::vector<Tap> positions, velocities;
  std::vector<Reference> commands;
  std::vector<Reference> outputs;   ///< efforts first, then channels, in the units of the FMU
  std::vector<FmuUnit> units;       ///< of the outputs
  std::vector<std::string> names;   ///< of the outputs
  std::vector<Tap> efforts;         ///< per velocity coordinate; the reference is the number of the output
  std::vector<Reference> parameters;
  std::vector<double> parameter_values;
  double interval = 0;

  /// Adds the efforts that the outputs give, in the FMU's units, to those of the joints; returns their power, W.
  double add_efforts(std::span<const double> outputs, std::span<const double> v,
                     std::span<double> efforts) const noexcept;
};

/// The values of an instance before its initialization: the parameters, and the inputs that functions of time give at t
/// = 0.
struct StartValues {
  StartValues(const Coupling&, Strided<const FieldValue> fields);
  std::vector<Reference> references;
  std::vector<double> values;
};

/// Which of the taps has a unit that cannot be that of its coordinate, as a sentence; "" if all fit.
std::string misfit_of_units(const Coupling&, Strided<const JointShape> joints);

/// Opens the FMU and finds the variables that the fields name. Throws FmuError.
Coupling coupling_of(Strided<const FieldValue> fields);

/// The inputs of one instance at a state: those of q, v and the commands, except commands that are none.
struct InputValues {
  InputValues(const Coupling&, Strided<const FieldValue> fields);
  void set(const double* q, const double* v, double t) noexcept;
  std::vector<Reference> references;
  std::vector<double> values;

 private:
  struct Wire {
    std::size_t coordinate;
    Tap tap;
  };
  std::vector<Wire> of_q, of_v;
  std::vector<TimeFunction> commands;
};

/// The FMU of one element, with its place among the coordinates of all elements of a batch.
struct CoupledFmu {
  CoupledFmu(const Coupling&, Strided<const FieldValue> fields);
  CoupledFmu(const Coupling&, Strided<const FieldValue> fields, const StartValues&);
  /// Gives the FMU its inputs at a state of the model.
  bool set_inputs(const ForceInput&) noexcept;
  /// The outputs that the coupling names.
  bool take_outputs(const Coupling&, std::span<double> out) const noexcept;
  const Calls& calls() const noexcept { return fmu.calls(); }
  bool good(int status, const char* call) const noexcept { return fmu.good(status, call); }
  Handle handle() const noexcept { return fmu.handle(); }

  FmuInstance fmu;
  InputValues inputs;
  std::size_t q = 0, v = 0;
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
