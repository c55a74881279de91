// An FMU of another tool: its description, its library, and instances of it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "description.hpp"
#include "fmi_calls.hpp"

namespace polyform::fmus {

/// A file with its size and the time of its last change: another text where it has been written anew.
std::string stamp_of(const std::string& file);

/// A scalar variable, or an element of an array.
struct FmuElement {
  const FmuVariable* variable;
  std::size_t index = 0;  ///< among the values of the array
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
  const std::string& file() const { return file_; }
  const Calls& calls() const { return *calls_; }
  const Description& description() const { return description_; }
  /// A scalar variable. Throws FmuError, with the names that there are, where it is none of that causality.
  const FmuVariable& variable(std::string_view name, std::string_view causality) const;
  /// A variable, or an element of an array, whose indices begin at 1: `x[2]`, `x[1,3]`.
  FmuElement element(std::string_view name, std::string_view causality) const;
  Reference find(std::string_view name, std::string_view causality) const {
    return variable(name, causality).reference;
  }
  const std::vector<std::string>& states() const { return description_.states; }
  std::size_t events() const { return description_.events; }
  std::string resources() const { return (folder_ / "resources").string(); }

 private:
  void load();

  std::string file_;
  Kind kind_;
  std::filesystem::path folder_;
  int process_;  ///< that made the folder
  Description description_;
  std::unique_ptr<const Calls> calls_;
};

/// Why a call failed last in this thread, as a sentence that names the FMU; what the FMU has said is in it.
class LastFailure {
 public:
  static void forget() noexcept;
  /// What comes is at this time of the model, s.
  static void at(double time) noexcept;
  static void note(const Fmu&, const char* call, const char* said) noexcept;
  /// "" if there was none from a time on.
  static std::string_view text(double since) noexcept;
};

/// One instance. Once it has begun it is past its initialization: of model exchange in continuous time.
class FmuInstance {
 public:
  enum class Begin { at_once, later };
  /// Begins at once at time 0, or when enter() and leave() are called. Throws FmuError with what the FMU says.
  FmuInstance(const Fmu&, std::span<const Reference> parameters, std::span<const double> values,
              std::span<const CountedValue> counted = {}, Begin = Begin::at_once);
  ~FmuInstance();
  FmuInstance(const FmuInstance&) = delete;
  FmuInstance& operator=(const FmuInstance&) = delete;

  /// Enters the initialization at a start time, s, with the start values of the construction; also of an instance
  /// that has begun, which begins anew. Inputs may be set then. false after a call that failed.
  bool enter(double time) noexcept;
  /// Ends the initialization.
  bool leave() noexcept;
  Handle handle() const noexcept { return handle_; }
  const Calls& calls() const noexcept { return fmu_.calls(); }
  /// What the FMU said last; "" if it said nothing.
  const char* message() const noexcept { return log_.text(); }
  /// Whether a call was done. LastFailure has one that was not: what it computes or does, such as "its derivatives".
  bool good(int status, const char* call) const noexcept;
  /// A failure that no status tells, as LastFailure gives it.
  void note(const char* call, const char* said) const noexcept { LastFailure::note(fmu_, call, said); }
  /// For model exchange: handles an event at a time, s; false after a call that failed. next: the next time of an event
  /// by the clock, or infinity.
  bool pass_event(double time, double& next) noexcept;
  /// For model exchange, after an accepted step at whose end the FMU stands: whether it asks for an event there.
  bool complete_step(bool& wants_event) noexcept;
  double next_time() const noexcept { return next_; }
  /// Whether the FMU has asked for the end of the simulation, at an event or in a step.
  bool wants_end() const noexcept { return wants_end_; }
  /// For co-simulation: makes a step. A step in which the FMU asks for the end counts as made.
  bool step(double time, double interval) noexcept;
  /// All of its state, and back from that; false if a call fails.
  bool save(std::vector<char>&);
  bool restore(std::span<const char>);

 private:
  /// In event mode: all events of the instant, then continuous time; next_ is then as pass_event tells it.
  bool update_discrete_states(double time) noexcept;

  const Fmu& fmu_;
  std::vector<Reference> parameters_;
  std::vector<double> values_;
  std::vector<CountedValue> counted_;
  MessageLog log_;
  Handle handle_ = nullptr;
  double next_, start_time_ = 0;
  bool wants_end_ = false, has_entered_ = false;
};

}  // namespace polyform::fmus
