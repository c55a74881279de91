/* An FMU written by hand, of FMI 2.0 and, by hand_written3.c, of FMI 3.0, for model exchange and co-simulation: a motor with its control that turns a joint,
 *
 *   L di/dt = u - R i - k w,   u = p (target - phi) within +-limit,   tau = k i
 *
 * By the clock the target jumps from 0 to `target` at 0.1 s, which is an event. The parameter `failing` lets something
 * fail: 1 the initialization, 2 the derivatives, 3 a step, 4 the derivatives from 0.5 s on, with a message to the log;
 * 5 asks for the end of the simulation at the event, or in the step after it. With 6 the first step that is completed
 * after 0.5 s asks for an event, in which the target becomes 0; with 7 it asks for the end. With 8 the initialization
 * takes the velocity that it sees as the current, and the position as the target before the jump; with 9 it refuses an
 * arm that does not stand at 0. */
#include "hand_written.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void calculate(Motor* m) {
  const double u = m->value[gain] * (m->wanted - m->value[phi]);
  m->value[tau] = (m->is_reversed ? -1 : 1) * m->poles * m->value[constant] * m->value[current];
  m->value[current_rate] =
      (u - m->value[resistance] * m->value[current] - m->value[constant] * m->value[w]) / m->value[inductance];
}

const char* fmi2GetVersion(void) { return "2.0"; }
const char* fmi2GetTypesPlatform(void) { return "default"; }

static void start(Motor* m) {
  const Callbacks* const callbacks = m->callbacks;
  memset(m, 0, sizeof *m);
  m->callbacks = callbacks;
  m->poles = 1;
  m->value[resistance] = 1;
  m->value[inductance] = 0.05;
  m->value[constant] = 0.5;
  m->value[gain] = 4;
  m->value[target] = 1;
}

void* fmi2Instantiate(const char* name, int kind, const char* guid, const char* place, const void* callbacks, int visible,
                      int logging) {
  Motor* const m = calloc(1, sizeof *m);
  (void)name, (void)kind, (void)place, (void)visible, (void)logging;
  if (m == NULL || strcmp(guid, "{hand-written}") != 0) {
    free(m);
    return NULL;
  }
  m->callbacks = callbacks;
  start(m);
  return m;
}
void fmi2FreeInstance(void* c) { free(c); }
int fmi2SetupExperiment(void* c, int a, double b, double from, int e, double f) {
  (void)a, (void)b, (void)e, (void)f;
  ((Motor*)c)->time = from;
  return 0;
}
int fmi2EnterInitializationMode(void* c) {
  (void)c;
  return 0;
}
int fmi2ExitInitializationMode(void* c) {
  Motor* const m = c;
  if (m->value[failing] == 8) {
    m->value[current] = m->value[w];
    m->wanted = m->before = m->value[phi];
  }
  return m->value[failing] == 1 || (m->value[failing] == 9 && m->value[phi] != 0) ? 3 : 0;
}
int fmi2Reset(void* c) {
  start(c);
  return 0;
}
int fmi2GetReal(void* c, const unsigned* references, size_t n, double* values) {
  calculate(c);
  for (size_t i = 0; i < n; ++i) values[i] = ((Motor*)c)->value[references[i]];
  return 0;
}
int fmi2SetReal(void* c, const unsigned* references, size_t n, const double* values) {
  for (size_t i = 0; i < n; ++i) ((Motor*)c)->value[references[i]] = values[i];
  return 0;
}
int fmi2SetInteger(void* c, const unsigned* references, size_t n, const int* values) {
  for (size_t i = 0; i < n; ++i)
    if (references[i] == 200) ((Motor*)c)->poles = values[i];
  return 0;
}
int fmi2SetBoolean(void* c, const unsigned* references, size_t n, const int* values) {
  for (size_t i = 0; i < n; ++i)
    if (references[i] == 201) ((Motor*)c)->is_reversed = values[i];
  return 0;
}
int fmi2GetFMUstate(void* c, void** state) {
  if (*state == NULL) *state = malloc(sizeof(Motor));
  if (*state == NULL) return 3;
  memcpy(*state, c, sizeof(Motor));
  return 0;
}
int fmi2SetFMUstate(void* c, void* state) {
  const Callbacks* const callbacks = ((Motor*)c)->callbacks;
  memcpy(c, state, sizeof(Motor));
  ((Motor*)c)->callbacks = callbacks;
  return 0;
}
int fmi2FreeFMUstate(void* c, void** state) {
  (void)c;
  free(*state);
  *state = NULL;
  return 0;
}
int fmi2SerializedFMUstateSize(void* c, void* state, size_t* size) {
  (void)c, (void)state;
  *size = sizeof(Motor);
  return 0;
}
int fmi2SerializeFMUstate(void* c, void* state, char* bytes, size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return 0;
}
int fmi2DeSerializeFMUstate(void* c, const char* bytes, size_t size, void** state) {
  (void)c;
  *state = malloc(sizeof(Motor));
  if (*state == NULL || size != sizeof(Motor)) return 3;
  memcpy(*state, bytes, size);
  return 0;
}

int fmi2EnterEventMode(void* c) {
  (void)c;
  return 0;
}
static const double jump_time = 0.1, switch_time = 0.5;
int fmi2NewDiscreteStates(void* c, EventInfo* info) {
  Motor* const m = c;
  memset(info, 0, sizeof *info);
  if (m->time >= jump_time - 1e-9) m->wanted = m->value[target];
  m->is_off = m->is_off || (m->value[failing] == 6 && m->time > switch_time);
  if (m->is_off) m->wanted = 0;
  info->has_next = m->time < jump_time - 1e-9;
  info->next = jump_time;
  info->terminate = m->value[failing] == 5 && m->time >= jump_time - 1e-9;
  return 0;
}
int fmi2CompletedIntegratorStep(void* c, int no_way_back, int* event_mode, int* terminate) {
  const Motor* const m = c;
  (void)no_way_back;
  *event_mode = m->value[failing] == 6 && m->time > switch_time && !m->is_off;
  *terminate = m->value[failing] == 7 && m->time > switch_time;
  return 0;
}
int fmi2EnterContinuousTimeMode(void* c) {
  (void)c;
  return 0;
}
int fmi2SetTime(void* c, double t) {
  ((Motor*)c)->time = t;
  return 0;
}
int fmi2SetContinuousStates(void* c, const double* x, size_t n) {
  if (n != 1) return 3;
  ((Motor*)c)->value[current] = x[0];
  return 0;
}
int fmi2GetContinuousStates(void* c, double* x, size_t n) {
  if (n != 1) return 3;
  x[0] = ((Motor*)c)->value[current];
  return 0;
}
int fmi2GetDerivatives(void* c, double* rates, size_t n) {
  Motor* const m = c;
  if (m->value[failing] == 4 && m->time > 0.5) {
    if (m->callbacks != NULL)
      m->callbacks->logger(m->callbacks->environment, "motor", 3, "logStatusError", "the winding is %s", "too hot");
    return 3;
  }
  if (n != 1 || ((Motor*)c)->value[failing] == 2) return 3;
  calculate(c);
  rates[0] = ((Motor*)c)->value[current_rate];
  return 0;
}
int fmi2GetEventIndicators(void* c, double* values, size_t n) {
  (void)c, (void)values;
  return n == 0 ? 0 : 3;
}
int fmi2DoStep(void* c, double t, double h, int last) {
  Motor* const m = c;
  const int steps = 100;
  (void)last;
  if (m->value[failing] == 3) return 3;
  if (m->value[failing] == 5 && t >= jump_time - 1e-9) return 2;
  for (int k = 0; k < steps; ++k) {
    m->wanted = t + h * k / steps >= jump_time - 1e-9 ? m->value[target] : m->before;
    calculate(m);
    m->value[current] += h / steps * m->value[current_rate];
  }
  return 0;
}
int fmi2GetBooleanStatus(void* c, int what, int* value) {
  *value = what == 3 && ((Motor*)c)->value[failing] == 5;
  return 0;
}
