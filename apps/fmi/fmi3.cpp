// The functions of FMI 3.0 that do something. Those for what no FMU of Polyform has are in fmi3_absent.cpp.
#include "apps/fmi/fmi3.h"

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
using Role = polyform::fmi::Variable::Role;

fmi3Status status(Answer answer) { return static_cast<fmi3Status>(answer); }
Component* of(fmi3Instance c) { return static_cast<Component*>(c); }
fmi3Status nothing(fmi3Instance c) { return status(shared::nothing(of(c))); }
std::optional<double> given(bool is_given, double value) { return is_given ? std::optional(value) : std::nullopt; }

fmi3Instance instantiate(fmi3String name, fmi3String token, fmi3String resources, bool logging, void* environment,
                         fmi3LogMessageCallback logger, Kind kind) {
  try {
    const auto log = [logger, environment](Answer answer, const char* category, const std::string& message) {
      if (logger != nullptr) logger(environment, status(answer), category, message.c_str());
    };
    return polyform::fmi::made(name == nullptr ? "" : name, token == nullptr ? "" : token,
                               polyform::fmi::resources_folder(resources), kind, log, logging)
        .release();
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

POLYFORM_FMI const char* fmi3GetVersion() { return "3.0"; }
POLYFORM_FMI fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, std::size_t, const fmi3String*) {
  return status(shared::log_warnings_from_now_on(of(c), on));
}

POLYFORM_FMI fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                       fmi3Boolean, fmi3Boolean logging, fmi3InstanceEnvironment env,
                                                       fmi3LogMessageCallback log) {
  return instantiate(name, token, resources, logging, env, log, Kind::model_exchange);
}
POLYFORM_FMI fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean, fmi3Boolean logging, fmi3Boolean event_mode,
                                                      fmi3Boolean, const fmi3ValueReference*, std::size_t,
                                                      fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
                                                      fmi3IntermediateUpdateCallback) {
  if (!event_mode) return instantiate(name, token, resources, logging, env, log, Kind::co_simulation);
  if (log != nullptr) log(env, fmi3Error, "logStatusError", "this FMU has no event mode: it passes events itself");
  return nullptr;
}
POLYFORM_FMI fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                                            fmi3Boolean, fmi3InstanceEnvironment env,
                                                            fmi3LogMessageCallback log, fmi3ClockUpdateCallback,
                                                            fmi3LockPreemptionCallback, fmi3LockPreemptionCallback) {
  if (log != nullptr) log(env, fmi3Error, "logStatusError", "this FMU has no clocks to schedule");
  return nullptr;
}
POLYFORM_FMI void fmi3FreeInstance(fmi3Instance c) { delete of(c); }

POLYFORM_FMI fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                                    fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
  const Answer set_up = shared::set_up(of(c), start, given(has_stop, stop), given(has_tolerance, tolerance));
  return status(set_up == Answer::ok ? shared::begin_initialization(of(c)) : set_up);
}
POLYFORM_FMI fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  return status(shared::finish_initialization(of(c)));
}
POLYFORM_FMI fmi3Status fmi3EnterEventMode(fmi3Instance c) { return nothing(c); }
POLYFORM_FMI fmi3Status fmi3Terminate(fmi3Instance c) { return status(shared::terminate(of(c))); }
POLYFORM_FMI fmi3Status fmi3Reset(fmi3Instance c) { return status(shared::reset(of(c))); }

POLYFORM_FMI fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference* references, std::size_t count,
                                       fmi3Float64* values, std::size_t value_count) {
  return status(shared::get_values(of(c), {references, count}, {values, value_count}));
}
POLYFORM_FMI fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference* references, std::size_t count,
                                       const fmi3Float64* values, std::size_t value_count) {
  return status(shared::set_values(of(c), {references, count}, {values, value_count}));
}

POLYFORM_FMI fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* out) {
  return status(shared::get_state(of(c), out));
}
POLYFORM_FMI fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  return status(shared::set_state(of(c), state));
}
POLYFORM_FMI fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  return status(shared::free_state(of(c), state));
}
POLYFORM_FMI fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, std::size_t* size) {
  return status(shared::size_of_state(of(c), state, size));
}
POLYFORM_FMI fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte* out, std::size_t size) {
  return status(shared::serialize_state(of(c), state, std::as_writable_bytes(std::span(out, size))));
}
POLYFORM_FMI fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte* bytes, std::size_t size,
                                                fmi3FMUState* out) {
  return status(shared::deserialize_state(of(c), std::as_bytes(std::span(bytes, size)), out));
}
POLYFORM_FMI fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference* unknowns,
                                                     std::size_t unknown_count, const fmi3ValueReference* knowns,
                                                     std::size_t known_count, const fmi3Float64* seed,
                                                     std::size_t seed_count, fmi3Float64* out, std::size_t out_count) {
  return status(shared::differentiate(of(c), {unknowns, unknown_count}, {knowns, known_count}, {seed, seed_count},
                                      {out, out_count}));
}

// Model exchange.

POLYFORM_FMI fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate,
                                                 fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                                 fmi3Boolean* has_next, fmi3Float64* next_time) {
  *again = *terminate = *nominals_changed = *values_changed = *has_next = false;
  *next_time = 0;
  if (of(c) != nullptr && of(c)->instance->kind() == Kind::co_simulation) return fmi3OK;
  shared::Passed passed;
  const Answer answer = shared::pass_events(of(c), passed);
  if (answer != Answer::ok) return status(answer);
  *values_changed = passed.states_changed;
  *terminate = passed.ended;
  *has_next = std::isfinite(passed.next);
  if (*has_next) *next_time = passed.next;
  return fmi3OK;
}
POLYFORM_FMI fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return nothing(c); }
POLYFORM_FMI fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean, fmi3Boolean* enter_event_mode,
                                                    fmi3Boolean* terminate) {
  *enter_event_mode = *terminate = false;
  return status(shared::complete_step(of(c), *enter_event_mode));
}
POLYFORM_FMI fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) { return status(shared::set_time(of(c), time)); }
POLYFORM_FMI fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64* x, std::size_t n) {
  return status(shared::set_states(of(c), {x, n}));
}
POLYFORM_FMI fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return status(shared::get_rates(of(c), {out, n}));
}
POLYFORM_FMI fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return status(shared::get_indicators(of(c), {out, n}));
}
POLYFORM_FMI fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return status(shared::get_states(of(c), {out, n}));
}
POLYFORM_FMI fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return status(shared::get_nominals(of(c), {out, n}));
}
POLYFORM_FMI fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, std::size_t* n) {
  return status(answering(of(c), [&](Component& it) { *n = it.instance->model().count(Role::event); }));
}
POLYFORM_FMI fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, std::size_t* n) {
  return status(answering(of(c), [&](Component& it) { *n = it.instance->model().states(); }));
}

// Co-simulation.

POLYFORM_FMI fmi3Status fmi3EnterStepMode(fmi3Instance c) { return nothing(c); }
POLYFORM_FMI fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean,
                                   fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early,
                                   fmi3Float64* last_time) {
  *event_needed = *terminate = *early = false;
  *last_time = time;
  return status(shared::step(of(c), time, step, *last_time));
}
