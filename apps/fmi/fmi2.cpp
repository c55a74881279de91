// The functions of FMI 2.0.
#include "apps/fmi/fmi2.h"

#include <cmath>
#include <optional>

#include "apps/fmi/shared_calls.hpp"

#define POLYFORM_FMI extern "C" __attribute__((visibility("default")))

namespace {

namespace shared = polyform::fmi;
using polyform::fmi::Answer;
using polyform::fmi::answering;
using polyform::fmi::Component;
using polyform::fmi::Kind;

fmi2Status status(Answer answer) { return static_cast<fmi2Status>(answer); }
Component* of(fmi2Component c) { return static_cast<Component*>(c); }

fmi2Status none(fmi2Component c, std::size_t count, const char* kind) {
  return status(shared::no_variables(of(c), count, kind));
}
fmi2Status nothing(fmi2Component c) { return status(shared::nothing(of(c))); }
std::optional<double> given(fmi2Boolean is_given, double value) {
  return is_given != 0 ? std::optional(value) : std::nullopt;
}
/// An error where anything is asked for.
fmi2Status refuse(fmi2Component c, std::size_t count, const char* why, const char* remedy) {
  return status(answering(of(c), [&](Component&) {
    if (count > 0) throw polyform::host::Failure(polyform::host::Exit::bad_input, why, remedy);
  }));
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
  return status(shared::log_warnings_from_now_on(of(c), on != 0));
}

POLYFORM_FMI fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                                            fmi2Real start, fmi2Boolean has_stop, fmi2Real stop) {
  return status(shared::set_up(of(c), start, given(has_stop, stop), given(has_tolerance, tolerance)));
}
POLYFORM_FMI fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  return status(shared::begin_initialization(of(c)));
}
POLYFORM_FMI fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  return status(shared::finish_initialization(of(c)));
}
POLYFORM_FMI fmi2Status fmi2Terminate(fmi2Component c) { return status(shared::terminate(of(c))); }
POLYFORM_FMI fmi2Status fmi2Reset(fmi2Component c) { return status(shared::reset(of(c))); }

POLYFORM_FMI fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count,
                                    fmi2Real* values) {
  return status(shared::get_values(of(c), {references, count}, {values, count}));
}
POLYFORM_FMI fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* references, std::size_t count,
                                    const fmi2Real* values) {
  return status(shared::set_values(of(c), {references, count}, {values, count}));
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
  return status(shared::get_state(of(c), out));
}
POLYFORM_FMI fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  return status(shared::set_state(of(c), state));
}
POLYFORM_FMI fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  return status(shared::free_state(of(c), state));
}
POLYFORM_FMI fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, std::size_t* size) {
  return status(shared::size_of_state(of(c), state, size));
}
POLYFORM_FMI fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte* out, std::size_t size) {
  return status(shared::serialize_state(of(c), state, std::as_writable_bytes(std::span(out, size))));
}
POLYFORM_FMI fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte* bytes, std::size_t size,
                                                fmi2FMUstate* out) {
  return status(shared::deserialize_state(of(c), std::as_bytes(std::span(bytes, size)), out));
}
POLYFORM_FMI fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference* unknowns,
                                                     std::size_t unknown_count, const fmi2ValueReference* knowns,
                                                     std::size_t known_count, const fmi2Real* seed, fmi2Real* out) {
  return status(shared::differentiate(of(c), {unknowns, unknown_count}, {knowns, known_count}, {seed, known_count},
                                      {out, unknown_count}));
}

// Model exchange.

POLYFORM_FMI fmi2Status fmi2EnterEventMode(fmi2Component c) { return nothing(c); }
POLYFORM_FMI fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  shared::Passed passed;
  const Answer answer = shared::pass_events(of(c), passed);
  *info = {};
  if (answer != Answer::ok) return status(answer);
  info->valuesOfContinuousStatesChanged = passed.states_changed ? 1 : 0;
  info->terminateSimulation = passed.ended ? 1 : 0;
  info->nextEventTimeDefined = std::isfinite(passed.next) ? 1 : 0;
  info->nextEventTime = std::isfinite(passed.next) ? passed.next : 0;
  return fmi2OK;
}
POLYFORM_FMI fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return nothing(c); }
POLYFORM_FMI fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean, fmi2Boolean* enter_event_mode,
                                                    fmi2Boolean* terminate) {
  bool enters = false;
  const Answer answer = shared::complete_step(of(c), enters);
  *enter_event_mode = enters ? 1 : 0;
  *terminate = 0;
  return status(answer);
}
POLYFORM_FMI fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) { return status(shared::set_time(of(c), time)); }
POLYFORM_FMI fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real* x, std::size_t n) {
  return status(shared::set_states(of(c), {x, n}));
}
POLYFORM_FMI fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real* out, std::size_t n) {
  return status(shared::get_rates(of(c), {out, n}));
}
POLYFORM_FMI fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real* out, std::size_t n) {
  return status(shared::get_indicators(of(c), {out, n}));
}
POLYFORM_FMI fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real* out, std::size_t n) {
  return status(shared::get_states(of(c), {out, n}));
}
POLYFORM_FMI fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real* out, std::size_t n) {
  return status(shared::get_nominals(of(c), {out, n}));
}

// Co-simulation.

POLYFORM_FMI fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference*, std::size_t n,
                                                    const fmi2Integer*, const fmi2Real*) {
  return refuse(c, n, "derivatives of inputs cannot be set",
                "Prescribed motions have inputs of their own for them: .rate and .acceleration.");
}
POLYFORM_FMI fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference*, std::size_t n,
                                                     const fmi2Integer*, fmi2Real*) {
  return refuse(c, n, "derivatives of outputs are not given", "Velocities and accelerations are outputs themselves.");
}
POLYFORM_FMI fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean) {
  double last = time;
  return status(shared::step(of(c), time, step, last));
}
POLYFORM_FMI fmi2Status fmi2CancelStep(fmi2Component c) {
  return refuse(c, 1, "no step is under way: none runs asynchronously", "");
}
POLYFORM_FMI fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind, fmi2Status* out) {
  *out = fmi2OK;
  return nothing(c);
}
POLYFORM_FMI fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind, fmi2Real* out) {
  return status(answering(of(c), [&](Component& it) { *out = it.last_time; }));
}
POLYFORM_FMI fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind, fmi2Integer*) {
  return none(c, 1, "Integer");
}
POLYFORM_FMI fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind, fmi2Boolean* out) {
  *out = 0;
  return nothing(c);
}
POLYFORM_FMI fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind, fmi2String* out) {
  *out = "";
  return nothing(c);
}
