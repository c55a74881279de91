/* The functions of FMI 3.0 of the motor that was written by hand. */
#include <stdbool.h>
#include <stdint.h>

#include "hand_written.h"

typedef void (*Log)(void* environment, int status, const char* category, const char* text);

/* Each instance has the callbacks of version 2, which hand the text on. */
typedef struct {
  Callbacks callbacks;
  void* environment;
  Log log;
} Listener;
static void hand_on(void* listener, const char* instance, int status, const char* category, const char* text, ...) {
  const Listener* const l = listener;
  (void)instance, (void)text;
  if (l->log != NULL) l->log(l->environment, status, category, "the winding is too hot");
}

static void* instantiate(const char* token, void* environment, Log log) {
  Listener* const l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  l->callbacks.logger = &hand_on;
  l->callbacks.environment = l;
  l->environment = environment;
  l->log = log;
  void* const m = fmi2Instantiate("motor", 0, token, "", &l->callbacks, 0, 0);
  if (m == NULL) free(l);
  return m;
}

void* fmi3InstantiateModelExchange(const char* name, const char* token, const char* place, bool visible, bool logging,
                                   void* environment, Log log) {
  (void)name, (void)visible, (void)logging;
  return place[strlen(place) - 1] == '/' ? instantiate(token, environment, log) : NULL;
}
void* fmi3InstantiateCoSimulation(const char* name, const char* token, const char* place, bool visible, bool logging,
                                  bool event_mode, bool early_return, const uint32_t* intermediate, size_t count,
                                  void* environment, Log log, void* update) {
  (void)event_mode, (void)early_return, (void)intermediate, (void)count, (void)update;
  return fmi3InstantiateModelExchange(name, token, place, visible, logging, environment, log);
}
void fmi3FreeInstance(void* c) {
  if (c == NULL) return;
  free((void*)((Motor*)c)->callbacks);
  fmi2FreeInstance(c);
}
int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance, double from, bool has_stop, double stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  ((Motor*)c)->time = from;
  return 0;
}
int fmi3ExitInitializationMode(void* c) { return fmi2ExitInitializationMode(c); }
int fmi3Reset(void* c) { return fmi2Reset(c); }
/* Arrays of two: 100 is phi and w, 101 is tau and i. */
static const unsigned arrays[2][2] = {{phi, w}, {tau, current}};
static size_t elements_of(uint32_t reference, const unsigned** of) {
  *of = reference == 100 || reference == 101 ? arrays[reference - 100] : NULL;
  return *of == NULL ? 1 : 2;
}
int fmi3GetFloat64(void* c, const uint32_t* references, size_t n, double* values, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    const unsigned* of = NULL;
    const size_t size = elements_of(references[i], &of);
    if (at + size > count || fmi2GetReal(c, of == NULL ? &references[i] : of, size, values + at) != 0) return 3;
    at += size;
  }
  return at == count ? 0 : 3;
}
int fmi3SetFloat64(void* c, const uint32_t* references, size_t n, const double* values, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    const unsigned* of = NULL;
    const size_t size = elements_of(references[i], &of);
    if (at + size > count || fmi2SetReal(c, of == NULL ? &references[i] : of, size, values + at) != 0) return 3;
    at += size;
  }
  return at == count ? 0 : 3;
}
int fmi3SetInt8(void* c, const uint32_t* references, size_t n, const int8_t* values, size_t count) {
  const int value = values[0];
  return n == 1 && count == 1 ? fmi2SetInteger(c, references, n, &value) : 3;
}
int fmi3SetBoolean(void* c, const uint32_t* references, size_t n, const bool* values, size_t count) {
  const int value = values[0];
  return n == 1 && count == 1 ? fmi2SetBoolean(c, references, n, &value) : 3;
}
int fmi3GetFMUState(void* c, void** state) { return fmi2GetFMUstate(c, state); }
int fmi3SetFMUState(void* c, void* state) { return fmi2SetFMUstate(c, state); }
int fmi3FreeFMUState(void* c, void** state) { return fmi2FreeFMUstate(c, state); }
int fmi3SerializedFMUStateSize(void* c, void* state, size_t* size) {
  return fmi2SerializedFMUstateSize(c, state, size);
}
int fmi3SerializeFMUState(void* c, void* state, uint8_t* bytes, size_t size) {
  return fmi2SerializeFMUstate(c, state, (char*)bytes, size);
}
int fmi3DeserializeFMUState(void* c, const uint8_t* bytes, size_t size, void** state) {
  return fmi2DeSerializeFMUstate(c, (const char*)bytes, size, state);
}
int fmi3EnterEventMode(void* c) { return c == NULL ? 3 : 0; }
int fmi3UpdateDiscreteStates(void* c, bool* again, bool* terminate, bool* nominals, bool* values, bool* has_next,
                             double* next) {
  EventInfo info;
  const int status = fmi2NewDiscreteStates(c, &info);
  *again = *nominals = *values = false;
  *terminate = info.terminate != 0;
  *has_next = info.has_next != 0;
  *next = info.next;
  return status;
}
int fmi3CompletedIntegratorStep(void* c, bool no_way_back, bool* event_mode, bool* terminate) {
  int event = 0, end = 0;
  const int status = fmi2CompletedIntegratorStep(c, no_way_back, &event, &end);
  *event_mode = event != 0;
  *terminate = end != 0;
  return status;
}
int fmi3EnterContinuousTimeMode(void* c) { return c == NULL ? 3 : 0; }
int fmi3SetTime(void* c, double t) { return fmi2SetTime(c, t); }
int fmi3SetContinuousStates(void* c, const double* x, size_t n) { return fmi2SetContinuousStates(c, x, n); }
int fmi3GetContinuousStates(void* c, double* x, size_t n) { return fmi2GetContinuousStates(c, x, n); }
int fmi3GetContinuousStateDerivatives(void* c, double* rates, size_t n) { return fmi2GetDerivatives(c, rates, n); }
int fmi3GetEventIndicators(void* c, double* values, size_t n) { return fmi2GetEventIndicators(c, values, n); }
int fmi3DoStep(void* c, double t, double h, bool no_return, bool* event, bool* terminate, bool* early, double* reached) {
  (void)no_return;
  *event = *early = false;
  const int status = fmi2DoStep(c, t, h, 1);
  *terminate = status == 2;
  *reached = t + h;
  return status == 2 ? 0 : status;
}
