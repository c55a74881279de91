#include "framework/host/registry/crash_guard.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "framework/host/process/process.hpp"
#include "framework/supervision.hpp"
#include "framework/used_time.hpp"

namespace polyform::host::inline registry {

namespace {

const char* guarded_file = "";
std::int64_t load_ends = 0;  ///< in used_milliseconds()

/// Safe in a signal handler.
[[noreturn]] void name_and_end(const char* what, const char* detail = "", const char* after = "") {
  say("error: ");
  say(guarded_file);
  say(what);
  say(detail);
  say(after);
  say("\n  Remove it from the plugin folder; polyform plugins check FILE tells more.\n");
  leave(Exit::plugin);
}

void on_signal(int signal) {
  const std::int64_t left = signal == SIGALRM ? load_ends - used_milliseconds() : 0;
  if (left > 0) return set_alarm(1e-3 * static_cast<double>(left));
  static_assert(longest_load == 20, "as the message says");
  name_and_end(signal == SIGALRM ? " does not finish loading, for which it had 20 s" : " crashed while it was loaded");
}

void on_hunger() { name_and_end(" asked for more memory than there is while it was loaded"); }

/// An exception that leaves a noexcept function, as polyform_register is, is still known here.
[[noreturn]] void on_terminate() {
  constexpr const char* threw = " threw an exception while it was loaded (";
  if (const std::exception_ptr problem = std::current_exception()) {
    try {
      std::rethrow_exception(problem);
    } catch (const std::exception& known) {
      name_and_end(threw, known.what(), ")");
    } catch (...) {
      name_and_end(threw, "of a type unknown here", ")");
    }
  }
  std::abort();
}

void on_exit() {
  if (*guarded_file != '\0') name_and_end(" ended the program by calling exit while it was loaded");
}

}  // namespace

std::uint64_t largest_load() {
  constexpr std::uint64_t enough = std::uint64_t{16} << 30;
  static const std::uint64_t limit = std::min(default_memory_limit(1), enough);  // asking takes as long as a load
  return limit;
}

CrashGuard::CrashGuard(const std::filesystem::path& file) {
  [[maybe_unused]] static const bool watched = std::atexit(on_exit) == 0 && std::at_quick_exit(on_exit) == 0;
  guarded_file = file.c_str();
  whereabouts().set_work("the loading of ", guarded_file);
  whereabouts().blame = Exit::plugin;
  // Also for a plugin that blocks the alarm below.
  constexpr std::int64_t grace = 3000;
  load_ends = used_milliseconds() + std::int64_t{1000} * longest_load;
  whereabouts().deadline = load_ends + grace;
  ::getrlimit(RLIMIT_AS, &memory_before_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit_memory(largest_load());  // the sanitizers have taken all addresses there are
#endif
  hunger_before_ = std::set_new_handler(on_hunger);
  terminate_before_ = std::set_terminate(on_terminate);
  struct sigaction action {};
  action.sa_handler = on_signal;
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &actions_before_[i]);
  set_alarm(longest_load);
}

CrashGuard::~CrashGuard() {
  set_alarm(0);
  guarded_file = "";
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &actions_before_[i], nullptr);
  whereabouts() = {};
  std::set_terminate(terminate_before_);
  std::set_new_handler(hunger_before_);
  ::setrlimit(RLIMIT_AS, &memory_before_);
}

}  // namespace polyform::host::registry
