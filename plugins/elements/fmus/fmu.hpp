// An FMU of another tool (FMI 2.0): its description, its library, and instances of it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fmi_calls.hpp"

namespace polyform::fmus {

enum class Kind { model_exchange, co_simulation };

/// A file with its size and the time of its last change: another text where it has been written anew.
std::string stamp_of(const std::string& file);

struct FmuVariable {
  Reference reference = 0;
  std::string causality, unit;
  bool real = false;
};

/// Why something cannot be done with an FMU, and what to do about it.
struct FmuError : std::runtime_error {
  FmuError(const std::string& what, std::string then) : std::runtime_error(what), remedy(std::move(then)) {}
  std::string remedy;
};

/// Unpacked into a folder of its own, which goes with the process, and loaded. Constant, shared by all threads.
class Fmu {
 public:
  /// One for each file as it is now (stamp_of), opened once. Throws FmuError: no archive, no description, another
  /// version, no library for this machine, a function that is missing.
  static const Fmu& open(const std::string& file, Kind);

  Fmu(const std::string& file, Kind);
  ~Fmu();
  Fmu(const Fmu&) = delete;
  Fmu& operator=(const Fmu&) = delete;

  Kind kind() const { return kind_; }
  const Calls& calls() const { return calls_; }
  const std::map<std::string, FmuVariable, std::less<>>& variables() const { return variables_; }
  /// Throws FmuError, with the names that there are, where it is none of that causality.
  Reference find(std::string_view name, std::string_view causality) const;
  const std::vector<std::string>& states() const { return states_; }  ///< their names, of model exchange
  std::size_t events() const { return events_; }
  bool can_serialize() const { return can_serialize_; }
  const std::string& guid() const { return guid_; }
  const std::string& identifier() const { return identifier_; }
  std::string location() const;

 private:
  void read_description();
  void load();

  std::string file_;
  Kind kind_;
  std::filesystem::path folder_;
  int process_;  ///< that made the folder
  std::string guid_, identifier_;
  std::map<std::string, FmuVariable, std::less<>> variables_;
  std::vector<std::string> states_;
  std::size_t events_ = 0;
  bool can_serialize_ = false;
  Calls calls_;
};

/// One instance, past its initialization: of model exchange in continuous time.
class FmuInstance {
 public:
  /// Throws FmuError with what the FMU says.
  FmuInstance(const Fmu&, std::span<const Reference> parameters, std::span<const double> values);
  ~FmuInstance();
  FmuInstance(const FmuInstance&) = delete;
  FmuInstance& operator=(const FmuInstance&) = delete;

  /// At the start once more.
  bool restart() noexcept;
  Handle handle() const noexcept { return handle_; }
  const Calls& calls() const noexcept { return fmu_.calls(); }
  /// What the FMU said last; "" where it said nothing.
  const char* message() const noexcept { return log_.text; }
  /// Of model exchange: answers to an event; false after a call that failed. next: the next time of an event by the
  /// clock, or infinity.
  bool pass_event(double& next) noexcept;
  double next_time() const noexcept { return next_; }
  /// All of its state, and back from that; false where a call fails.
  bool save(std::vector<char>&);
  bool restore(std::span<const char>);

 private:
  struct Log {
    char text[512] = "";
  };
  bool initialize() noexcept;
  /// In event mode: all events of the instant, then continuous time; next_ is then as pass_event tells it.
  bool update_discrete_states() noexcept;
  static void take_message(void* log, const char*, int, const char*, const char* text, ...);

  const Fmu& fmu_;
  std::vector<Reference> parameters_;
  std::vector<double> values_;
  Log log_;
  Callbacks callbacks_;
  Handle handle_ = nullptr;
  double next_;
};

}  // namespace polyform::fmus
