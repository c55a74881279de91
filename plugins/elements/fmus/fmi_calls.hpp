// What is called of an FMU, declared from the standards FMI 2.0 and 3.0 for the import alone.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace polyform::fmus {

enum class Kind { model_exchange, co_simulation };

/// Status of a call: up to `warning` it was done. The numbers are the same in both versions.
enum class CallStatus : int { ok, warning, discard, error, fatal, pending };
inline bool done(int status) noexcept { return status >= 0 && status <= static_cast<int>(CallStatus::warning); }
using Handle = void*;
using Reference = unsigned int;

/// Types of scalar variables. Version 2 has real, int32 (its Integer and Enumeration) and boolean.
enum class NumberType { real, float32, int8, uint8, int16, uint16, int32, uint32, int64, uint64, boolean, none };

/// A value of a variable that is no real number of 64 bits.
struct CountedValue {
  Reference reference = 0;
  NumberType type = NumberType::none;
  double value = 0;  ///< in the range of the type
};

/// What an instance has said last; as a text that an FMU may write at any time, it allocates nothing.
class MessageLog {
 public:
  const char* text() const noexcept { return text_; }
  void clear() noexcept { text_[0] = '\0'; }
  void take(const char* text) noexcept;
  /// The callback of version 2, with the environment a MessageLog.
  static void take_formatted(void* log, const char* instance, int status, const char* category, const char* format,
                             ...);

  /// The structure of version 2 that an instance keeps a pointer to.
  struct Callbacks {
    void (*logger)(void*, const char*, int, const char*, const char*, ...);
    void* (*allocate)(std::size_t, std::size_t);
    void (*release)(void*);
    void (*step_finished)(void*, int);
    void* environment;
  };
  const Callbacks* callbacks() noexcept;

 private:
  char text_[512] = "";
  Callbacks callbacks_{};
};

/// The names by which an instance is known, and its kind.
struct Identity {
  const std::string& name;
  const std::string& token;      ///< of the description
  const std::string& resources;  ///< the folder `resources`
  Kind kind;
};

/// Both versions answer to new_discrete_states() with it.
struct EventAnswer {
  bool again = false, terminate = false, has_next_time = false;
  double next_time = 0;
};

/// Functions of the library of one FMU. Those that are alike in both versions are pointers; those of the other kind are
/// nullptr. What is given back is a status of the standard.
class Calls {
 public:
  /// Finds a function by its name, as `fmi2Reset`; throws if there is none.
  using Finder = std::function<void*(const std::string& name)>;

  virtual ~Calls() = default;
  virtual Handle instantiate(const Identity&, MessageLog&) const = 0;
  /// From the instantiated state into the initialization, with a start time, s, and no stop time.
  virtual int enter_initialization(Handle, double start) const noexcept = 0;
  /// values: their number, which is that of the variables unless there are arrays among them; 0: that.
  virtual int get_real(Handle, const Reference*, std::size_t, double*, std::size_t values = 0) const noexcept = 0;
  virtual int set_real(Handle, const Reference*, std::size_t, const double*, std::size_t values = 0) const noexcept = 0;
  virtual int set_counted(Handle, const CountedValue&) const noexcept = 0;
  virtual int new_discrete_states(Handle, EventAnswer&) const noexcept = 0;
  /// After an accepted step of model exchange: whether the FMU asks for an event there, and for the end.
  virtual int complete_step(Handle, bool& wants_event, bool& terminate) const noexcept = 0;
  /// terminate, where it is given: whether the FMU asks for the end of the simulation.
  virtual int do_step(Handle, double time, double step, bool* terminate = nullptr) const noexcept = 0;

  void (*free)(Handle) = nullptr;
  int (*reset)(Handle) = nullptr;
  int (*exit_initialization)(Handle) = nullptr;
  // States, of FMUs that can serialize them.
  int (*get_state)(Handle, void**) = nullptr;
  int (*set_state)(Handle, void*) = nullptr;
  int (*free_state)(Handle, void**) = nullptr;
  int (*state_size)(Handle, void*, std::size_t*) = nullptr;
  int (*serialize)(Handle, void*, char*, std::size_t) = nullptr;
  int (*deserialize)(Handle, const char*, std::size_t, void**) = nullptr;
  // Model exchange.
  int (*event_mode)(Handle) = nullptr;
  int (*continuous_time_mode)(Handle) = nullptr;
  int (*set_time)(Handle, double) = nullptr;
  int (*set_states)(Handle, const double*, std::size_t) = nullptr;
  int (*get_rates)(Handle, double*, std::size_t) = nullptr;
  int (*get_indicators)(Handle, double*, std::size_t) = nullptr;
  int (*get_states)(Handle, double*, std::size_t) = nullptr;
};

/// The calls of FMI 2.0 and 3.0; states: whether the functions for them are wanted.
std::unique_ptr<const Calls> calls_of_version_2(const Calls::Finder&, Kind, bool states);
std::unique_ptr<const Calls> calls_of_version_3(const Calls::Finder&, Kind, bool states);

}  // namespace polyform::fmus
