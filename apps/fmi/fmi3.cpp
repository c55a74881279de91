// The functions of FMI 3.0 that do something. Those for what no FMU of Polyform has are in fmi3_absent.cpp.
#include "apps/fmi/fmi3.h"

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
using polyform::fmi::Continuous;
using polyform::fmi::InstanceState;
using polyform::fmi::Kind;
using Role = polyform::fmi::Variable::Role;

fmi3Status status(Answer answer) { return static_cast<fmi3Status>(answer); }

template <class Work>
fmi3Status call(fmi3Instance c, Work&& work) noexcept {
  return status(answering(static_cast<Component*>(c), work));
}

[[noreturn]] void refuse(const std::string& why) {
  throw polyform::host::Failure(polyform::host::Exit::bad_input, why);
}
void expect(std::size_t found, std::size_t expected) {
  if (found != expected) refuse(std::to_string(found) + " numbers are given, expected " + std::to_string(expected));
}

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

fmi3Status copy(fmi3Instance c, double* out, std::size_t n, std::span<const double> (*values)(Continuous&)) {
  return call(c, [&](Component& it) { polyform::fmi::copy_numbers(values(it.instance->continuous()), {out, n}); });
}

}  // namespace

POLYFORM_FMI const char* fmi3GetVersion() { return "3.0"; }
POLYFORM_FMI fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, std::size_t, const fmi3String*) {
  return call(c, [&](Component& it) { it.logs_warnings = on; });
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
POLYFORM_FMI void fmi3FreeInstance(fmi3Instance c) { delete static_cast<Component*>(c); }

POLYFORM_FMI fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                                    fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
  return call(c, [&](Component& it) {
    it.instance->set_up(start, has_stop ? std::optional(stop) : std::nullopt,
                        has_tolerance ? std::optional(tolerance) : std::nullopt);
  });
}
POLYFORM_FMI fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  return call(c, [](Component& it) { it.instance->finish_initialization(); });
}
POLYFORM_FMI fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi3Status fmi3Terminate(fmi3Instance c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi3Status fmi3Reset(fmi3Instance c) {
  return call(c, [](Component& it) { it.instance->reset(); });
}

POLYFORM_FMI fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference* references, std::size_t count,
                                       fmi3Float64* values, std::size_t value_count) {
  return call(c, [&](Component& it) {
    expect(value_count, count);
    for (std::size_t i = 0; i < count; ++i) values[i] = it.instance->value(references[i]);
  });
}
POLYFORM_FMI fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference* references, std::size_t count,
                                       const fmi3Float64* values, std::size_t value_count) {
  return call(c, [&](Component& it) {
    expect(value_count, count);
    for (std::size_t i = 0; i < count; ++i) it.instance->set_value(references[i], values[i]);
  });
}

POLYFORM_FMI fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* out) {
  return call(c, [&](Component& it) { polyform::fmi::take_state(it, out); });
}
POLYFORM_FMI fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
  return call(c, [&](Component& it) { it.instance->set_state(*static_cast<const InstanceState*>(state)); });
}
POLYFORM_FMI fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  return call(c, [&](Component&) { polyform::fmi::free_state(state); });
}
POLYFORM_FMI fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, std::size_t* size) {
  return call(c, [&](Component&) { *size = static_cast<const InstanceState*>(state)->bytes().size(); });
}
POLYFORM_FMI fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte* out, std::size_t size) {
  return call(c, [&](Component&) { polyform::fmi::serialize(state, std::as_writable_bytes(std::span(out, size))); });
}
POLYFORM_FMI fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte* bytes, std::size_t size,
                                                fmi3FMUState* out) {
  return call(c, [&](Component&) { *out = polyform::fmi::deserialized(std::as_bytes(std::span(bytes, size))); });
}
POLYFORM_FMI fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference* unknowns,
                                                     std::size_t unknown_count, const fmi3ValueReference* knowns,
                                                     std::size_t known_count, const fmi3Float64* seed,
                                                     std::size_t seed_count, fmi3Float64* out, std::size_t out_count) {
  return call(c, [&](Component& it) {
    expect(seed_count, known_count);
    expect(out_count, unknown_count);
    it.references.assign(unknowns, unknowns + unknown_count);
    it.more_references.assign(knowns, knowns + known_count);
    it.instance->differentiate(it.references, it.more_references, {seed, seed_count}, {out, out_count});
  });
}

// Model exchange.

POLYFORM_FMI fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate,
                                                 fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                                 fmi3Boolean* has_next, fmi3Float64* next_time) {
  return call(c, [&](Component& it) {
    *again = *terminate = *nominals_changed = *values_changed = *has_next = false;
    if (it.instance->kind() == Kind::co_simulation) return;
    Continuous& motion = it.instance->continuous();
    *values_changed = motion.pass_events();
    *has_next = std::isfinite(motion.next_time());
    *next_time = *has_next ? motion.next_time() : 0;
  });
}
POLYFORM_FMI fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean, fmi3Boolean* enter_event_mode,
                                                    fmi3Boolean* terminate) {
  return call(c, [&](Component& it) {
    *terminate = false;
    *enter_event_mode = it.instance->continuous().needs_correction();
  });
}
POLYFORM_FMI fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
  return call(c, [&](Component& it) { it.instance->continuous().set_time(time); });
}
POLYFORM_FMI fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64* x, std::size_t n) {
  return call(c, [&](Component& it) { it.instance->continuous().set_states({x, n}); });
}
POLYFORM_FMI fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return copy(c, out, n, [](Continuous& m) { return m.rates(); });
}
POLYFORM_FMI fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return copy(c, out, n, [](Continuous& m) { return m.indicators(); });
}
POLYFORM_FMI fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return copy(c, out, n, [](Continuous& m) { return m.states(); });
}
POLYFORM_FMI fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64* out, std::size_t n) {
  return call(c, [&](Component&) { std::fill_n(out, n, 1.0); });
}
POLYFORM_FMI fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, std::size_t* n) {
  return call(c, [&](Component& it) { *n = it.instance->model().count(Role::event); });
}
POLYFORM_FMI fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, std::size_t* n) {
  return call(c, [&](Component& it) { *n = it.instance->model().states(); });
}

// Co-simulation.

POLYFORM_FMI fmi3Status fmi3EnterStepMode(fmi3Instance c) {
  return call(c, [](Component&) {});
}
POLYFORM_FMI fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean,
                                   fmi3Boolean* event_needed, fmi3Boolean* terminate, fmi3Boolean* early,
                                   fmi3Float64* last_time) {
  return call(c, [&](Component& it) {
    *event_needed = *terminate = *early = false;
    *last_time = time;
    it.instance->stepping().step(time, step);
    *last_time = it.instance->stepping().time();
  });
}
