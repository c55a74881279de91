// The functions of FMI 2.0.
#include "apps/fmi/fmi2.h"

#include <algorithm>
#include <cmath>

#include "apps/fmi/component.hpp"
#include "apps/fmi/continuous.hpp"
#include "apps/fmi/stepping.hpp"

#define POLYFORM_FMI extern "C" __attribute__((visibility("default")))

namespace {

using polyform::fmi::Answer;
using polyform::fmi::answering;
using polyform::fmi::Component;
using polyform::fmi::InstanceState;
using polyform::fmi::Kind;

fmi2Status status(Answer answer) { return static_cast<fmi2Status>(answer); }
Component* of(fmi2Component c) { return static_cast<Component*>(c); }

template <class Work>
fmi2Status call(fmi2Component c, Work&& work) noexcept {
  return status(answering(of(c), work));
}

/// Functions for variables of kinds that no FMU of Polyform has.
fmi2Status none(fmi2Component c, std::size_t count, const char* kind) {
  return call(c, [&](Component&) {
    if (count > 0)
      throw polyform::host::Failure(polyform::host::Exit::bad_input,
                                    std::string("there are no variables of the kind ") + kind, "All are reals.");
  });
}

void copy_to(std::vector<std::size_t>& room, const fmi2ValueReference* references, std::size_t count) {
  room.assign(references, references + count);
}

}  // namespace

POLYFORM_FMI const char* fmi2GetTypesPlatform() { return "default"; }
POLYFORM_FMI const char* fmi2GetVersion() { return "2.0"; }

POLYFORM_FMI fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                                           const fmi2CallbackFunctions* functions, fmi2Boolean, fmi2Boolean logging) {
  try {
    const std::string instance = name == nullptr ? "" : name;
    const auto logger = functions == nullptr ? nullptr : functions->logger;
    void* const environment = functions == nullptr ? nullptr : functions->componentEnvironment;
    const auto log = [logger, environment, instance](Answer answer, const char* category, const std::string& message) {
      if (logger != nullptr) logger(environment, instance.c_str(), status(answer), category, "%s", message.c_str());
    };
    return polyform::fmi::made(instance, guid == nullptr ? "" : guid, polyform::fmi::resources_folder(location),
                               type == fmi2ModelExchange ? Kind::model_exchange : Kind::co_simulation, log,
                               logging != 0)
        .release();
  } catch (...) {
    return nullptr;
  }
}
POLYFORM_FMI void fmi2FreeInstance(fmi2Component c) { delete of(c); }
POLYFORM_FMI fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, std::size_t, const fmi2String*) {
  return call(c, [&](Component& it) { it.logs_warnings = on != 0; });
}

POLYFORM_FMI fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                                            fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
  return call(c, [&](Component& it) {
    it.instance->set_up(start, has_stop != 0 ? std::optional(stop) : std::nullopt,
                        has_tolerance != 0 ? std::optional(tolerance) : std::nullopt);
  });
}
POLYFORM_FMI fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return call(c, [](Component& it) { it.instance->finish_initialization(); });
}
POLYFORM_FMI fmi2Status fmi2Terminate(fmi2Component c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi2Status fmi2Reset(fmi2Component c) {
  return call(c, [](Component& it) { it.instance->reset(); });
}

POLYFORM_FMI fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count,
                                    fmi2Real* values) {
  return call(c, [&](Component& it) {
    for (std::size_t i = 0; i < count; ++i) values[i] = it.instance->value(references[i]);
  });
}
POLYFORM_FMI fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count,
                                    const fmi2Real* values) {
  return call(c, [&](Component& it) {
    for (std::size_t i = 0; i < count; ++i) it.instance->set_value(references[i], values[i]);
  });
}
POLYFORM_FMI fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference*, std::size_t n, fmi2Integer*) {
  return none(c, n, "Integer");
}
POLYFORM_FMI fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference*, std::size_t n, const fmi2Integer*) {
  return none(c, n, "Integer");
}
POLYFORM_FMI fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference*, std::size_t n, fmi2Boolean*) {
  return none(c, n, "Boolean");
}
POLYFORM_FMI fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference*, std::size_t n, const fmi2Boolean*) {
  return none(c, n, "Boolean");
}
POLYFORM_FMI fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference*, std::size_t n, fmi2String*) {
  return none(c, n, "String");
}
POLYFORM_FMI fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference*, std::size_t n, const fmi2String*) {
  return none(c, n, "String");
}

POLYFORM_FMI fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* out) {
  return call(c, [&](Component& it) { polyform::fmi::take_state(it, out); });
}
POLYFORM_FMI fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return call(c, [&](Component& it) { it.instance->set_state(*static_cast<const InstanceState*>(state)); });
}
POLYFORM_FMI fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return call(c, [&](Component&) { polyform::fmi::free_state(state); });
}
POLYFORM_FMI fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, std::size_t* size) {
  return call(c, [&](Component&) { *size = static_cast<const InstanceState*>(state)->bytes().size(); });
}
POLYFORM_FMI fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte* out, std::size_t size) {
  return call(c, [&](Component&) { polyform::fmi::serialize(state, std::as_writable_bytes(std::span(out, size))); });
}
POLYFORM_FMI fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte* bytes, std::size_t size,
                                                fmi2FMUstate* out) {
  return call(c, [&](Component&) { *out = polyform::fmi::deserialized(std::as_bytes(std::span(bytes, size))); });
}
POLYFORM_FMI fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference* unknowns,
                                                     std::size_t unknown_count, const fmi2ValueReference* knowns,
                                                     std::size_t known_count, const fmi2Real* seed, fmi2Real* out) {
  return call(c, [&](Component& it) {
    copy_to(it.references, unknowns, unknown_count);
    copy_to(it.more_references, knowns, known_count);
    it.instance->differentiate(it.references, it.more_references, {seed, known_count}, {out, unknown_count});
  });
}

// Model exchange.

POLYFORM_FMI fmi2Status fmi2EnterEventMode(fmi2Component c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  return call(c, [&](Component& it) {
    polyform::fmi::Continuous& motion = it.instance->continuous();
    *info = {};
    info->valuesOfContinuousStatesChanged = motion.pass_events() ? 1 : 0;
    const double next = motion.next_time();
    info->nextEventTimeDefined = std::isfinite(next) ? 1 : 0;
    info->nextEventTime = std::isfinite(next) ? next : 0;
  });
}
POLYFORM_FMI fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean, fmi2Boolean* enter_event_mode,
                                                    fmi2Boolean* terminate) {
  return call(c, [&](Component& it) {
    *terminate = 0;
    *enter_event_mode = it.instance->continuous().needs_correction() ? 1 : 0;
  });
}
POLYFORM_FMI fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  return call(c, [&](Component& it) { it.instance->continuous().set_time(time); });
}
POLYFORM_FMI fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real* x, std::size_t n) {
  return call(c, [&](Component& it) { it.instance->continuous().set_states({x, n}); });
}

namespace {

fmi2Status copy(fmi2Component c, fmi2Real* out, std::size_t n,
                std::span<const double> (*values)(polyform::fmi::Continuous&)) {
  return call(c, [&](Component& it) { polyform::fmi::copy_numbers(values(it.instance->continuous()), {out, n}); });
}

}  // namespace

POLYFORM_FMI fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real* out, std::size_t n) {
  return copy(c, out, n, [](polyform::fmi::Continuous& m) { return m.rates(); });
}
POLYFORM_FMI fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real* out, std::size_t n) {
  return copy(c, out, n, [](polyform::fmi::Continuous& m) { return m.indicators(); });
}
POLYFORM_FMI fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real* out, std::size_t n) {
  return copy(c, out, n, [](polyform::fmi::Continuous& m) { return m.states(); });
}
POLYFORM_FMI fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real* out, std::size_t n) {
  return call(c, [&](Component&) { std::fill_n(out, n, 1.0); });
}

// Co-simulation.

POLYFORM_FMI fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference*, std::size_t n,
                                                    const fmi2Integer*, const fmi2Real*) {
  return call(c, [&](Component&) {
    if (n > 0)
      throw polyform::host::Failure(polyform::host::Exit::bad_input, "derivatives of inputs cannot be set",
                                    "Prescribed motions have inputs of their own for them: .rate and .acceleration.");
  });
}
POLYFORM_FMI fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference*, std::size_t n,
                                                     const fmi2Integer*, fmi2Real*) {
  return call(c, [&](Component&) {
    if (n > 0)
      throw polyform::host::Failure(polyform::host::Exit::bad_input, "derivatives of outputs are not given",
                                    "Velocities and accelerations are outputs themselves.");
  });
}
POLYFORM_FMI fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean) {
  return call(c, [&](Component& it) {
    it.instance->stepping().step(time, step);
    it.last_time = it.instance->stepping().time();
  });
}
POLYFORM_FMI fmi2Status fmi2CancelStep(fmi2Component c) {
  return call(c, [](Component&) {
    throw polyform::host::Failure(polyform::host::Exit::bad_input, "no step is under way: none runs asynchronously");
  });
}
POLYFORM_FMI fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind, fmi2Status* out) {
  return call(c, [&](Component&) { *out = fmi2OK; });
}
POLYFORM_FMI fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind, fmi2Real* out) {
  return call(c, [&](Component& it) { *out = it.last_time; });
}
POLYFORM_FMI fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind, fmi2Integer*) {
  return none(c, 1, "Integer");
}
POLYFORM_FMI fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind, fmi2Boolean* out) {
  return call(c, [&](Component&) { *out = 0; });
}
POLYFORM_FMI fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind, fmi2String* out) {
  return call(c, [&](Component&) { *out = ""; });
}
