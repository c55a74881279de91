// One FMU of a batch: what it begins with, its inputs and its outputs.
#include <cstring>
#include <limits>

#include "coupling.hpp"

namespace polyform::fmus {

CoupledFmu::CoupledFmu(const Coupling& c, Strided<const FieldValue> fields)
    : CoupledFmu(c, fields, StartValues(c, fields)) {}
CoupledFmu::CoupledFmu(const Coupling& c, Strided<const FieldValue> fields, const StartValues& given)
    : fmu(*c.fmu, given.references, given.values, given.counted, FmuInstance::Begin::later),
      inputs(c, fields),
      read(c.outputs.values) {}

bool CoupledFmu::read_arrays() noexcept {
  const VariableList& list = inputs.variables;
  return list.values == list.references.size() ||
         good(calls().get_real(handle(), list.references.data(), list.references.size(), inputs.values.data(),
                               list.values),
              "its inputs");
}

bool CoupledFmu::begin(const ForceInput& in, KeptStates& starts) noexcept {
  LastFailure::at(in.time);
  start.reset();
  if (!fmu.enter(in.time) || !read_arrays() || !set_inputs(in) || !fmu.leave()) return false;
  if (fmu.wants_end()) {
    fmu.note("its initialization", "it asks for the end of the simulation");
    return false;
  }
  try {
    std::vector<double> kept{in.time};
    kept.insert(kept.end(), inputs.values.begin(), inputs.values.end());
    start = starts.keep({reinterpret_cast<const char*>(kept.data()), kept.size() * sizeof(double)});
    return true;
  } catch (const std::exception& problem) {
    fmu.note("its initialization", problem.what());
    return false;
  }
}

bool CoupledFmu::begin_as(std::size_t number, const KeptStates& starts) noexcept {
  start.reset();
  try {
    if (number == 0) {
      if (!fmu.enter(0) || !read_arrays()) return false;
    } else {
      const std::vector<char> kept = starts.at(number);
      double time = 0;
      if (kept.size() != sizeof time + inputs.values.size() * sizeof(double)) return false;
      std::memcpy(&time, kept.data(), sizeof time);
      if (!fmu.enter(time)) return false;
      std::memcpy(inputs.values.data(), kept.data() + sizeof time, kept.size() - sizeof time);
      if (!send_inputs()) return false;
    }
  } catch (const std::exception& problem) {
    fmu.note("its initialization", problem.what());
    return false;
  }
  if (!fmu.leave()) return false;
  start = number;
  return true;
}

double CoupledFmu::time_of_start(double number, const KeptStates& starts) noexcept {
  if (number == known_time_.first) return known_time_.second;
  if (!is_number(number)) return std::numeric_limits<double>::quiet_NaN();
  try {
    const std::vector<char> kept = starts.at(static_cast<std::size_t>(number));
    double time = 0;
    std::memcpy(&time, kept.data(), sizeof time);
    known_time_ = {number, time};
    return time;
  } catch (const std::exception& problem) {
    fmu.note("a step", problem.what());
    return std::numeric_limits<double>::quiet_NaN();
  }
}

bool CoupledFmu::set_inputs(const ForceInput& in) noexcept {
  inputs.set(in.q.data() + q, in.v.data() + v, in.time);
  return send_inputs();
}

bool CoupledFmu::send_inputs() noexcept {
  const VariableList& list = inputs.variables;
  return list.references.empty() || good(calls().set_real(handle(), list.references.data(), list.references.size(),
                                                          inputs.values.data(), list.values),
                                         "its inputs");
}

bool CoupledFmu::take_outputs(const Coupling& c, std::span<double> out) noexcept {
  const VariableList& list = c.outputs;
  if (list.references.empty()) return true;
  if (!good(calls().get_real(handle(), list.references.data(), list.references.size(), read.data(), list.values),
            "its outputs"))
    return false;
  for (std::size_t k = 0; k < c.places.size(); ++k) out[k] = read[c.places[k]];
  return true;
}

}  // namespace polyform::fmus
