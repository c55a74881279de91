#include "fmi_calls.hpp"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace polyform::fmus {

void MessageLog::take(const char* text) noexcept {
  if (text != nullptr) std::snprintf(text_, sizeof text_, "%s", text);
}

void MessageLog::take_formatted(void* log, const char*, int, const char*, const char* format, ...) {
  if (log == nullptr || format == nullptr) return;
  auto& kept = static_cast<MessageLog*>(log)->text_;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(kept, sizeof kept, format, arguments);
  va_end(arguments);
}

const MessageLog::Callbacks* MessageLog::callbacks() noexcept {
  callbacks_ = {&take_formatted, &std::calloc, &std::free, nullptr, this};
  return &callbacks_;
}

namespace {

/// Pointers are filled by names of one version: the prefix is that of all of its functions.
class Taking {
 public:
  Taking(const Calls::Finder& find, std::string prefix) : find_(find), prefix_(std::move(prefix)) {}
  template <class F>
  void operator()(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(find_(prefix_ + name));
  }

 private:
  const Calls::Finder& find_;
  std::string prefix_;
};

class Calls2 final : public Calls {
 public:
  Calls2(const Finder& find, Kind kind, bool states) {
    const Taking take(find, "fmi2");
    take(instantiate_, "Instantiate");
    take(free, "FreeInstance");
    take(set_up_, "SetupExperiment");
    take(enter_initialization_, "EnterInitializationMode");
    take(exit_initialization_, "ExitInitializationMode");
    take(reset, "Reset");
    take(get_real_, "GetReal");
    take(set_real_, "SetReal");
    if (states) {
      take(get_state, "GetFMUstate");
      take(set_state, "SetFMUstate");
      take(free_state, "FreeFMUstate");
      take(state_size, "SerializedFMUstateSize");
      take(serialize, "SerializeFMUstate");
      take(deserialize, "DeSerializeFMUstate");
    }
    if (kind == Kind::co_simulation) {
      take(do_step_, "DoStep");
      take(get_boolean_status_, "GetBooleanStatus");
      return;
    }
    take(event_mode, "EnterEventMode");
    take(new_discrete_states_, "NewDiscreteStates");
    take(complete_step_, "CompletedIntegratorStep");
    take(continuous_time_mode, "EnterContinuousTimeMode");
    take(set_time, "SetTime");
    take(set_states, "SetContinuousStates");
    take(get_rates, "GetDerivatives");
    take(get_indicators, "GetEventIndicators");
    take(get_states, "GetContinuousStates");
  }

  Handle instantiate(const Identity& who, MessageLog& log) const override {
    const std::string place = "file://" + encoded(who.resources);
    return instantiate_(who.name.c_str(), who.kind == Kind::model_exchange ? 0 : 1, who.token.c_str(), place.c_str(),
                        log.callbacks(), 0, 0);
  }
  int initialize(Handle h) const noexcept override {
    for (const int status :
         {set_up_(h, 0, 0, 0, 0, 0), enter_initialization_(h), exit_initialization_(h)})
      if (!done(status)) return status;
    return 0;
  }
  int get_real(Handle h, const Reference* of, std::size_t n, double* to, std::size_t) const noexcept override {
    return get_real_(h, of, n, to);
  }
  int set_real(Handle h, const Reference* of, std::size_t n, const double* to, std::size_t) const noexcept override {
    return set_real_(h, of, n, to);
  }
  int new_discrete_states(Handle h, EventAnswer& out) const noexcept override {
    struct {
      int again, terminate, nominals_changed, states_changed, has_next_time;
      double next_time;
    } answer{};
    const int status = new_discrete_states_(h, &answer);
    out = {answer.again != 0, answer.terminate != 0, answer.has_next_time != 0, answer.next_time};
    return status;
  }
  int complete_step(Handle h, bool& wants_event, bool& terminate) const noexcept override {
    int event = 0, end = 0;
    const int status = complete_step_(h, 0, &event, &end);
    wants_event = event != 0;
    terminate = end != 0;
    return status;
  }
  /// An FMU that wants to end discards the step, and tells why when it is asked.
  int do_step(Handle h, double time, double step, bool* terminate) const noexcept override {
    const int status = do_step_(h, time, step, 1);
    if (terminate == nullptr) return status;
    *terminate = false;
    if (status != static_cast<int>(CallStatus::discard)) return status;
    constexpr int terminated = 3;
    int ends = 0;
    *terminate = done(get_boolean_status_(h, terminated, &ends)) && ends != 0;
    return status;
  }

 private:
  static std::string encoded(const std::string& path) {
    constexpr const char* digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : path) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         std::string_view("/-_.~").find(c) != std::string_view::npos;
      const auto byte = static_cast<unsigned char>(c);
      out += plain ? std::string(1, c) : std::string{'%', digits[byte >> 4], digits[byte & 15]};
    }
    return out;
  }

  Handle (*instantiate_)(const char* name, int kind, const char* guid, const char* place, const void* callbacks,
                         int visible, int logging);
  int (*set_up_)(Handle, int has_tolerance, double tolerance, double start, int has_stop, double stop);
  int (*enter_initialization_)(Handle);
  int (*exit_initialization_)(Handle);
  int (*get_real_)(Handle, const Reference*, std::size_t, double*);
  int (*set_real_)(Handle, const Reference*, std::size_t, const double*);
  int (*new_discrete_states_)(Handle, void*) = nullptr;
  int (*complete_step_)(Handle, int no_way_back, int* event_mode, int* terminate) = nullptr;
  int (*do_step_)(Handle, double time, double step, int no_return) = nullptr;
  int (*get_boolean_status_)(Handle, int what, int* value) = nullptr;
};

class Calls3 final : public Calls {
 public:
  Calls3(const Finder& find, Kind kind, bool states) {
    const Taking take(find, "fmi3");
    take(free, "FreeInstance");
    take(enter_initialization_, "EnterInitializationMode");
    take(exit_initialization_, "ExitInitializationMode");
    take(reset, "Reset");
    take(get_real_, "GetFloat64");
    take(set_real_, "SetFloat64");
    if (states) {
      take(get_state, "GetFMUState");
      take(set_state, "SetFMUState");
      take(free_state, "FreeFMUState");
      take(state_size, "SerializedFMUStateSize");
      take(serialize, "SerializeFMUState");
      take(deserialize, "DeserializeFMUState");
    }
    if (kind == Kind::co_simulation) {
      take(instantiate_stepping_, "InstantiateCoSimulation");
      take(do_step_, "DoStep");
      return;
    }
    take(instantiate_equations_, "InstantiateModelExchange");
    take(event_mode, "EnterEventMode");
    take(update_discrete_states_, "UpdateDiscreteStates");
    take(complete_step_, "CompletedIntegratorStep");
    take(continuous_time_mode, "EnterContinuousTimeMode");
    take(set_time, "SetTime");
    take(set_states, "SetContinuousStates");
    take(get_rates, "GetContinuousStateDerivatives");
    take(get_indicators, "GetEventIndicators");
    take(get_states, "GetContinuousStates");
  }

  /// The folder ends with a separator. Events are left to the FMU, and no step returns early.
  Handle instantiate(const Identity& who, MessageLog& log) const override {
    const std::string folder = who.resources + '/';
    if (who.kind == Kind::model_exchange)
      return instantiate_equations_(who.name.c_str(), who.token.c_str(), folder.c_str(), false, false, &log,
                                    &take_message);
    return instantiate_stepping_(who.name.c_str(), who.token.c_str(), folder.c_str(), false, false, false, false,
                                 nullptr, 0, &log, &take_message, nullptr);
  }
  int initialize(Handle h) const noexcept override {
    const int status = enter_initialization_(h, false, 0, 0, false, 0);
    return done(status) ? exit_initialization_(h) : status;
  }
  int get_real(Handle h, const Reference* of, std::size_t n, double* to, std::size_t values) const noexcept override {
    return get_real_(h, of, n, to, values == 0 ? n : values);
  }
  int set_real(Handle h, const Reference* of, std::size_t n, const double* to,
               std::size_t values) const noexcept override {
    return set_real_(h, of, n, to, values == 0 ? n : values);
  }
  int new_discrete_states(Handle h, EventAnswer& out) const noexcept override {
    bool nominals_changed = false, states_changed = false;
    out = {};
    return update_discrete_states_(h, &out.again, &out.terminate, &nominals_changed, &states_changed,
                                   &out.has_next_time, &out.next_time);
  }
  int complete_step(Handle h, bool& wants_event, bool& terminate) const noexcept override {
    return complete_step_(h, false, &wants_event, &terminate);
  }
  int do_step(Handle h, double time, double step, bool* terminate) const noexcept override {
    bool event = false, ends = false, early = false;
    double reached = time;
    const int status = do_step_(h, time, step, true, &event, &ends, &early, &reached);
    if (terminate != nullptr) *terminate = ends;
    return status;
  }

 private:
  using Log = void (*)(void* environment, int status, const char* category, const char* text);
  static void take_message(void* log, int, const char*, const char* text) {
    if (log != nullptr) static_cast<MessageLog*>(log)->take(text);
  }

  Handle (*instantiate_equations_)(const char* name, const char* token, const char* resources, bool visible,
                                   bool logging, void* environment, Log) = nullptr;
  Handle (*instantiate_stepping_)(const char* name, const char* token, const char* resources, bool visible,
                                  bool logging, bool event_mode, bool early_return, const Reference*, std::size_t,
                                  void* environment, Log, void* intermediate_update) = nullptr;
  int (*enter_initialization_)(Handle, bool has_tolerance, double tolerance, double start, bool has_stop, double stop);
  int (*exit_initialization_)(Handle);
  int (*get_real_)(Handle, const Reference*, std::size_t, double*, std::size_t);
  int (*set_real_)(Handle, const Reference*, std::size_t, const double*, std::size_t);
  int (*update_discrete_states_)(Handle, bool* again, bool* terminate, bool* nominals, bool* values, bool* has_next,
                                 double* next_time) = nullptr;
  int (*complete_step_)(Handle, bool no_way_back, bool* event_mode, bool* terminate) = nullptr;
  int (*do_step_)(Handle, double time, double step, bool no_return, bool* event, bool* terminate, bool* early,
                  double* reached) = nullptr;
};

}  // namespace

std::unique_ptr<const Calls> calls_of_version_2(const Calls::Finder& find, Kind kind, bool states) {
  return std::make_unique<const Calls2>(find, kind, states);
}
std::unique_ptr<const Calls> calls_of_version_3(const Calls::Finder& find, Kind kind, bool states) {
  return std::make_unique<const Calls3>(find, kind, states);
}

}  // namespace polyform::fmus
