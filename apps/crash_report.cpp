#include "apps/crash_report.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/process/process.hpp"

namespace polyform::apps {

namespace {

constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// What the handlers need: nothing of it is made in them.
std::vector<std::string> plugin_files;
char work[128], time_reached[32];
std::function<void()> rescue;
char stack_of_handler[1u << 16];

/// Only what is allowed in a signal handler.
void say(const char* text) {
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  (void)written;  // nobody is left to be told
}

constexpr const char* all_kept = "Results so far are kept.\n";
constexpr const char* most_kept = "Results so far are kept but for the last seconds.\n";

/// The innermost plugin whose code is running; nullptr when none is.
const char* running_plugin() {
  std::array<void*, 64> frames{};
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < depth; ++i) {
    Dl_info place{};
    if (::dladdr(frames[static_cast<std::size_t>(i)], &place) == 0 || place.dli_fname == nullptr) continue;
    for (const std::string& file : plugin_files)
      if (file == place.dli_fname) return file.c_str();
  }
  return nullptr;
}

[[noreturn]] void end_program(const char* what, const char* detail, const char* kept) {
  const char* const plugin = running_plugin();
  say("error: ");
  say(plugin != nullptr ? plugin : "polyform");
  say(what);
  say(detail);
  if (work[0] != '\0') say(", in ");
  say(work);
  if (time_reached[0] != '\0') say(" after t = ");
  say(time_reached);
  if (time_reached[0] != '\0') say(" s");
  say(plugin != nullptr ? "\n  Report this to the author of the plugin; polyform conform FILE looks for the cause. "
                        : "\n  This is a defect of polyform or of a plugin; please report it with the model. ");
  say(kept);
  ::_exit(static_cast<int>(host::Exit::simulation_failed));
}

void on_signal(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  end_program(" crashed with signal ", name != nullptr ? name : "?", most_kept);
}

/// The stack is still that of the throw: no frame was left on the way out of a function that may not throw.
[[noreturn]] void on_terminate() {
  static bool entered = false;
  if (!std::exchange(entered, true) && rescue) try {
      rescue();
    } catch (...) {  // what could be saved is
    }
  if (const std::exception_ptr problem = std::current_exception()) {
    try {
      std::rethrow_exception(problem);
    } catch (const std::bad_alloc&) {
      end_program(" asked for more memory than there is", "", all_kept);
    } catch (const std::exception& known) {
      end_program(" threw an exception: ", known.what(), all_kept);
    } catch (...) {
      end_program(" threw an exception of a type unknown here", "", all_kept);
    }
  }
  end_program(" ended the program", "", all_kept);
}

}  // namespace

CrashReport::CrashReport(const host::Registry& registry) {
  for (const host::PluginRecord& plugin : registry.plugins())
    if (plugin.status == host::PluginStatus::loaded) plugin_files.push_back(plugin.file);
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads what it needs now, while memory can be had
  std::set_terminate(on_terminate);
  const stack_t stack{stack_of_handler, 0, sizeof stack_of_handler};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  for (const int signal : crash_signals) ::sigaction(signal, &action, nullptr);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // A hunger without end meets an error that can be told, before the system ends programs of its own choice.
  rlimit memory{};
  ::getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = std::min<rlim_t>(memory.rlim_cur, host::default_memory_limit(1));
  ::setrlimit(RLIMIT_AS, &memory);
#endif
}

CrashReport::~CrashReport() {
  for (const int signal : crash_signals) ::signal(signal, SIG_DFL);
  std::set_terminate(std::abort);
  plugin_files.clear();
  rescue = nullptr;
  work[0] = time_reached[0] = '\0';
}

void CrashReport::set_work(std::string_view text) noexcept { work[text.copy(work, sizeof work - 1)] = '\0'; }

void CrashReport::reached(double time) noexcept {
  *std::to_chars(time_reached, time_reached + sizeof time_reached - 1, time, std::chars_format::general, 6).ptr = '\0';
}

void CrashReport::set_rescue(std::function<void()> what) { rescue = std::move(what); }

}  // namespace polyform::apps
