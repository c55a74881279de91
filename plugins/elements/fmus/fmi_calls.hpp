// What is called of an FMU of FMI 2.0, declared from the standard for the import alone.
#pragma once

#include <cstddef>

namespace polyform::fmus {

/// Status of a call: up to `warning` it was done.
enum class CallStatus : int { ok, warning, discard, error, fatal, pending };
inline bool done(int status) noexcept { return status >= 0 && status <= static_cast<int>(CallStatus::warning); }
using Handle = void*;
using Reference = unsigned int;
using Logger = void (*)(void* environment, const char* instance, int status, const char* category, const char* text,
                        ...);

struct Callbacks {
  Logger logger;
  void* (*allocate)(std::size_t, std::size_t);
  void (*release)(void*);
  void (*step_finished)(void*, int);
  void* environment;
};

struct EventAnswer {
  int again, terminate, nominals_changed, states_changed, has_next_time;
  double next_time;
};

/// Functions of one FMU; those of the other kind are nullptr.
struct Calls {
  Handle (*instantiate)(const char* name, int kind, const char* guid, const char* location, const Callbacks*,
                        int visible, int logging) = nullptr;
  void (*free)(Handle) = nullptr;
  int (*set_up)(Handle, int has_tolerance, double tolerance, double start, int has_stop, double stop) = nullptr;
  int (*enter_initialization)(Handle) = nullptr;
  int (*exit_initialization)(Handle) = nullptr;
  int (*reset)(Handle) = nullptr;
  int (*get_real)(Handle, const Reference*, std::size_t, double*) = nullptr;
  int (*set_real)(Handle, const Reference*, std::size_t, const double*) = nullptr;
  int (*get_state)(Handle, void**) = nullptr;
  int (*set_state)(Handle, void*) = nullptr;
  int (*free_state)(Handle, void**) = nullptr;
  int (*state_size)(Handle, void*, std::size_t*) = nullptr;
  int (*serialize)(Handle, void*, char*, std::size_t) = nullptr;
  int (*deserialize)(Handle, const char*, std::size_t, void**) = nullptr;
  // Model exchange.
  int (*event_mode)(Handle) = nullptr;
  int (*new_discrete_states)(Handle, EventAnswer*) = nullptr;
  int (*continuous_time_mode)(Handle) = nullptr;
  int (*set_time)(Handle, double) = nullptr;
  int (*set_states)(Handle, const double*, std::size_t) = nullptr;
  int (*get_rates)(Handle, double*, std::size_t) = nullptr;
  int (*get_indicators)(Handle, double*, std::size_t) = nullptr;
  int (*get_states)(Handle, double*, std::size_t) = nullptr;
  // Co-simulation.
  int (*do_step)(Handle, double time, double step, int no_return) = nullptr;
};

}  // namespace polyform::fmus
