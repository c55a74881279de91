#include "fmi_calls.hpp"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

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

constexpr int call_failed = static_cast<int>(CallStatus::error);

/// Pointers are filled by names of one version: the prefix is that of all of its functions.
class Taking {
 public:
  Taking(const Calls::Finder& find, std::string prefix) : find_(find), prefix_(std::move(prefix)) {}
  template <class F>
  void operator()(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(find_(prefix_ + name));
  }
  /// nullptr if there is none.
  template <class F>
  void if_there(F*& function, const char* name) const {
    try {
      (*this)(function, name);
    } catch (const std::exception&) {
      function = nullptr;
    }
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
    take(exit_initialization, "ExitInitializationMode");
    take(reset, "Reset");
    take(get_real_, "GetReal");
    take(set_real_, "SetReal");
    take.if_there(set_integer_, "SetInteger");
    take.if_there(set_boolean_, "SetBoolean");
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
  int enter_initialization(Handle h, double start) const noexcept override {
    const int status = set_up_(h, 0, 0, start, 0, 0);
    return done(status) ? enter_initialization_(h) : status;
  }
  int get_real(Handle h, const Reference* of, std::size_t n, double* to, std::size_t) const noexcept override {
    return get_real_(h, of, n, to);
  }
  int set_real(Handle h, const Reference* of, std::size_t n, const double* to, std::size_t) const noexcept override {
    return set_real_(h, of, n, to);
  }
  int set_counted(Handle h, const CountedValue& v) const noexcept override {
    const auto set = v.type == NumberType::boolean ? set_boolean_ : set_integer_;
    const int value = static_cast<int>(v.value);
    return set == nullptr ? call_failed : set(h, &v.reference, 1, &value);
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
  int (*get_real_)(Handle, const Reference*, std::size_t, double*);
  int (*set_real_)(Handle, const Reference*, std::size_t, const double*);
  int (*set_integer_)(Handle, const Reference*, std::size_t, const int*) = nullptr;
  int (*set_boolean_)(Handle, const Reference*, std::size_t, const int*) = nullptr;
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
    take(exit_initialization, "ExitInitializationMode");
    take(reset, "Reset");
    take(get_real_, "GetFloat64");
    take(set_real_, "SetFloat64");
    take.if_there(set_float32_, "SetFloat32");
    take.if_there(set_int8_, "SetInt8");
    take.if_there(set_uint8_, "SetUInt8");
    take.if_there(set_int16_, "SetInt16");
    take.if_there(set_uint16_, "SetUInt16");
    take.if_there(set_int32_, "SetInt32");
    take.if_there(set_uint32_, "SetUInt32");
    take.if_there(set_int64_, "SetInt64");
    take.if_there(set_uint64_, "SetUInt64");
    take.if_there(set_boolean_, "SetBoolean");
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
  int enter_initialization(Handle h, double start) const noexcept override {
    return enter_initialization_(h, false, 0, start, false, 0);
  }
  int get_real(Handle h, const Reference* of, std::size_t n, double* to, std::size_t values) const noexcept override {
    return get_real_(h, of, n, to, values == 0 ? n : values);
  }
  int set_real(Handle h, const Reference* of, std::size_t n, const double* to,
               std::size_t values) const noexcept override {
    return set_real_(h, of, n, to, values == 0 ? n : values);
  }
  int set_counted(Handle h, const CountedValue& v) const noexcept override {
    switch (v.type) {
      case NumberType::real: return set_real_(h, &v.reference, 1, &v.value, 1);
      case NumberType::float32: return set(set_float32_, h, v);
      case NumberType::int8: return set(set_int8_, h, v);
      case NumberType::uint8: return set(set_uint8_, h, v);
      case NumberType::int16: return set(set_int16_, h, v);
      case NumberType::uint16: return set(set_uint16_, h, v);
      case NumberType::int32: return set(set_int32_, h, v);
      case NumberType::uint32: return set(set_uint32_, h, v);
      case NumberType::int64: return set(set_int64_, h, v);
      case NumberType::uint64: return set(set_uint64_, h, v);
      case NumberType::boolean: return set(set_boolean_, h, v);
      case NumberType::none: break;
    }
    return call_failed;
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
  template <class T>
  using Setter = int(Handle, const Reference*, std::size_t, const T*, std::size_t);
  template <class T>
  static int set(Setter<T>* function, Handle h, const CountedValue& v) noexcept {
    const T value = static_cast<T>(v.value);
    return function == nullptr ? call_failed : function(h, &v.reference, 1, &value, 1);
  }

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
  int (*get_real_)(Handle, const Reference*, std::size_t, double*, std::size_t);
  int (*set_real_)(Handle, const Reference*, std::size_t, const double*, std::size_t);
  Setter<float>* set_float32_ = nullptr;
  Setter<std::int8_t>* set_int8_ = nullptr;
  Setter<std::uint8_t>* set_uint8_ = nullptr;
  Setter<std::int16_t>* set_int16_ = nullptr;
  Setter<std::uint16_t>* set_uint16_ = nullptr;
  Setter<std::int32_t>* set_int32_ = nullptr;
  Setter<std::uint32_t>* set_uint32_ = nullptr;
  Setter<std::int64_t>* set_int64_ = nullptr;
  Setter<std::uint64_t>* set_uint64_ = nullptr;
  Setter<bool>* set_boolean_ = nullptr;
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
