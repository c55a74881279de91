// The parts that the sources of the library share: those behind the public classes, and the way from failures to Error.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "apps/library/function_type.hpp"
#include "apps/session/loading.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/solver_check.hpp"
#include "framework/host/simulation/result_sink.hpp"
#include "polyform/library/model.hpp"

namespace polyform::library {

struct Model::Parts {
  apps::Plugins plugins;
  std::string file;
  std::optional<std::string> text;  ///< of a model that is no file
  ReadOptions options;
  /// Reads the description; as often as it is asked for.
  std::function<host::Description(host::Diagnostics&, bool& missing_plugin)> description;
  std::vector<std::unique_ptr<FunctionType>> functions;
  host::Diagnostics diagnostics;  ///< of reading and assembly
  std::vector<Message> messages;
  std::unique_ptr<host::System> system;  ///< goes before what it points to

  const host::Catalog& catalog() const { return *plugins.catalog; }
};

struct Solver::Parts {
  /// Every so often, whether what the solver gives at y meets the equations of motion; if not, unmet says so.
  bool meets_equations(double t, std::span<const double> y) noexcept;

  std::shared_ptr<const Model::Parts> model;
  std::string name;
  host::SolverPointer solver;
  std::vector<Column> columns;
  host::ObservationStore store;
  host::RowMaker rows;
  std::unique_ptr<host::SolverCheck> check;
  std::size_t evaluations = 0;
  std::exception_ptr unmet = nullptr;   ///< the failure of a check in the last derivative
  std::exception_ptr thrown = nullptr;  ///< by a function of the caller, in the last derivative
  std::string thrower = {};             ///< its name
};

struct Result::Parts {
  std::shared_ptr<const Model::Parts> model;
  std::string solver;
  std::vector<host::Channel> channels;
  std::vector<Column> columns;
  std::vector<double> data;
  std::size_t rows = 0;
  host::RecordFields known;  ///< of the run, before it began
  host::RunRecord run;
  Value record;
  std::vector<Message> warnings;
  RunStatus status = RunStatus::done;
  std::exception_ptr thrown;  ///< by a function of the caller
};

/// Changes what a model says before it is assembled.
using Change = std::function<void(host::Description&)>;
/// The model once more, read anew and with that change; nothing if it cannot be assembled then.
std::unique_ptr<host::System> assembled_anew(const Model::Parts&, const Change&);

Message message_of(const Diagnostic&);
std::vector<Message> messages_of(const host::Diagnostics&);
std::vector<Column> columns_of(const std::vector<host::Channel>&);
Value value_of(const apps::Json&);

/// Work that a watch may end. Exceptions of the caller's functions do not pass through the work: FunctionCalls keeps
/// them.
class Interruption {
 public:
  explicit Interruption(const Watch& watch) noexcept : watch_(watch) {}
  const volatile std::sig_atomic_t& flag() const noexcept { return flag_; }
  void interrupt() noexcept { flag_ = 1; }
  /// Tells the time, s, and asks whether to stop.
  void look(double time);
  void look();

 private:
  void fail(const char* function) noexcept;

  const Watch& watch_;
  volatile std::sig_atomic_t flag_ = 0;
};

/// Options in the form in which they would be typed.
std::vector<std::string> typed(const Options&);
/// Failure (bad_input) if a number is there and not positive.
void check_positive(const char* name, const std::optional<double>& value);
void check_time_limit(double seconds);
/// Failure (bad_input) if a number is not positive.
apps::RunArguments arguments_of(const RunRequest&);
/// Failure (bad_input) for a time before 0.
std::optional<double> start_time_of(const RunRequest&);
apps::SolverChoice choice_of(const Model::Parts&, const SolverRequest&);
[[noreturn]] void refuse(std::string message, std::string remedy = {});

/// The plugins of a search path, loaded once in a process. Failure (already said) as apps::warn_of_refused.
apps::Plugins plugins_of(const std::vector<std::string>& paths);
/// The same with all that is known of them.
const host::Registry& registry_of(const std::vector<std::string>& paths);
/// The library that goes into each FMU, beside the plugins of this one.
std::string library_of_fmus();

Error error_of(const host::Failure&, const host::Diagnostics& said, std::exception_ptr thrown);
Error unexpected(const char* what);
/// The failure of a function of the caller: its exception in words.
Error error_of_function(const std::exception_ptr& thrown, const std::string& whose);

/// Does the work of one call. Any exception leaves as an Error; messages go to `said`, if there is one.
template <class Work>
auto calling(std::vector<Message>* said, Work&& work) {
  const apps::HeldMessages held;
  FunctionCalls calls;
  try {
    auto out = work();
    if (calls.thrown()) throw error_of_function(calls.thrown(), calls.whose());
    if (said != nullptr) *said = messages_of(held.all());
    return out;
  } catch (const host::Failure& failure) {
    if (calls.thrown()) throw error_of_function(calls.thrown(), calls.whose());
    throw error_of(failure, held.all(), nullptr);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(Error::Kind::simulation_failed, {{.text = "memory ran out", .remedy = "Use a smaller model."}});
  } catch (const std::exception& problem) {
    throw unexpected(problem.what());
  }
}

}  // namespace polyform::library
