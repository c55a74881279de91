/* What the two files of the FMU that was written by hand share: the motor, and the functions of FMI 2.0. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { phi, w, resistance, inductance, constant, gain, target, tau, current, current_rate, failing, variable_count };

typedef struct {
  void (*logger)(void* environment, const char* instance, int status, const char* category, const char* text, ...);
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void (*step_finished)(void*, int);
  void* environment;
} Callbacks;

typedef struct {
  const Callbacks* callbacks;
  double value[variable_count];
  double time, wanted, before;    /* before the jump */
  int is_off, is_reversed, poles; /* the torque is poles times that of one, and reversed on request */
} Motor;

typedef struct {
  int again, terminate, nominals, states, has_next;
  double next;
} EventInfo;

void* fmi2Instantiate(const char* name, int kind, const char* guid, const char* place, const void* callbacks,
                      int visible, int logging);
void fmi2FreeInstance(void*);
int fmi2ExitInitializationMode(void*);
int fmi2Reset(void*);
int fmi2GetReal(void*, const unsigned*, size_t, double*);
int fmi2SetReal(void*, const unsigned*, size_t, const double*);
int fmi2SetInteger(void*, const unsigned*, size_t, const int*);
int fmi2SetBoolean(void*, const unsigned*, size_t, const int*);
int fmi2GetFMUstate(void*, void**);
int fmi2SetFMUstate(void*, void*);
int fmi2FreeFMUstate(void*, void**);
int fmi2SerializedFMUstateSize(void*, void*, size_t*);
int fmi2SerializeFMUstate(void*, void*, char*, size_t);
int fmi2DeSerializeFMUstate(void*, const char*, size_t, void**);
int fmi2NewDiscreteStates(void*, EventInfo*);
int fmi2CompletedIntegratorStep(void*, int, int*, int*);
int fmi2SetTime(void*, double);
int fmi2SetContinuousStates(void*, const double*, size_t);
int fmi2GetContinuousStates(void*, double*, size_t);
int fmi2GetDerivatives(void*, double*, size_t);
int fmi2GetEventIndicators(void*, double*, size_t);
int fmi2DoStep(void*, double, double, int);
