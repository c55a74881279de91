#include "apps/session/crash_report.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/original_process.hpp"
#include "framework/used_time.hpp"
#include "polyform/helpers/guarded.hpp"

namespace polyform::apps {

namespace {

constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// The handlers need this and make nothing themselves.
std::vector<std::string> plugin_files;
std::function<void()> rescue;
pid_t process = 0;  ///< the process that owns the results
char stack_of_handler[1u << 16];
const host::Messenger* home = nullptr;  ///< to the process that waits, in a child process
char time_limit[32] = "";               ///< of such a process, s
std::int64_t time_ends = 0;             ///< in its used_milliseconds()

constexpr const char* all_kept = " Results so far are kept.\n";
constexpr const char* most_kept = " Results so far are kept but for the last seconds.\n";

/// The innermost plugin whose code is running; nullptr if none is.
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

constexpr const char* to_author = host::remedies::report_to_author;
constexpr const char* to_both = host::remedies::report_defect;

/// `remedy`: nullptr if it depends on whether a plugin is to blame.
[[noreturn]] void end_program(const char* what, const char* detail, const char* kept, const char* remedy = nullptr) {
  const char* const plugin = running_plugin();
  host::say("error: ");
  host::say(plugin != nullptr ? plugin : "polyform");
  host::say(what);
  host::say(detail);
  host::say_whereabouts();
  host::say("\n  ");
  host::say(remedy != nullptr ? remedy : plugin != nullptr ? to_author : to_both);
  const bool results = host::whereabouts().time[0] != '\0';
  host::say(home != nullptr ? " No solver was run: all of them need this.\n" : results ? kept : "\n");
  if (home != nullptr) home->send(host::Messenger::failure, {});
  host::leave(host::Exit::simulation_failed);
}

/// An element broke what it shares with the solver whose code is running.
[[noreturn]] void end_for_breach(const ElementBreach& breach) {
  host::say("error: ");
  host::say(breach.what());
  host::say_whereabouts();
  host::say("\n  ");
  host::say(to_author);
  host::say(home != nullptr                       ? " No solver was run: all of them need this.\n"
            : host::whereabouts().time[0] != '\0' ? all_kept
                                                  : "\n");
  if (home != nullptr) home->send(host::Messenger::failure, {});
  host::leave(host::Exit::simulation_failed);
}

/// Whether this is a copy of the program that a plugin made: it has none of the threads that save results.
bool is_copy() { return host::is_copy() || (rescue && ::getpid() != process); }

[[noreturn]] void end_copy(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  ::_exit(128 + signal);
}

/// Traps of floating-point operations are off unless a plugin switches them on; then the next operation that divides by
/// zero ends the program, whosoever it is.
bool is_trap(int signal, const siginfo_t& why) {
  return signal == SIGFPE && why.si_code != FPE_INTDIV && why.si_code != FPE_INTOVF && why.si_code > 0;
}

void on_signal(int signal, siginfo_t* why, void*) {
  if (is_copy()) end_copy(signal);
  if (is_trap(signal, *why))
    end_program(" ran into a trap for floating-point operations (SIGFPE), which a plugin has switched on", "",
                most_kept,
                "It need not be this plugin: polyform conform FILE tells which one leaves traps switched on.");
  const char* const name = ::sigabbrev_np(signal);
  end_program(" crashed with signal ", name != nullptr ? name : "?", most_kept);
}

void on_late(int) {
  if (const std::int64_t left = time_ends - host::used_milliseconds(); left > 0)
    return host::set_alarm(1e-3 * static_cast<double>(left));
  end_program(
      " was not done within the time limit of ", time_limit, "",
      "polyform conform FILE tells whether a plugin hangs; where the model is only large, give a longer --time-limit.");
}

void save_results() {
  if (const auto save = std::exchange(rescue, nullptr)) try {
      save();
    } catch (...) {  // everything that could be saved is saved
    }
}

/// The stack is still that of the throw: no frame was left on the way out of a function that may not throw.
[[noreturn]] void on_terminate() {
  if (is_copy()) end_copy(SIGABRT);
  save_results();
  if (const std::exception_ptr problem = std::current_exception()) {
    try {
      std::rethrow_exception(problem);
    } catch (const ElementBreach& breach) {
      end_for_breach(breach);
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

/// Inside exit(), whose caller is on the stack.
void on_exit() {
  if (!rescue || is_copy()) return;
  save_results();
  end_program(" ended the program by calling exit", "", all_kept);
}

/// From now on the handlers of this process are those above.
void answer() {
  std::set_terminate(on_terminate);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_SIGINFO);
  for (const int signal : crash_signals) ::sigaction(signal, &action, nullptr);
}

}  // namespace

CrashReport::CrashReport(const host::Registry& registry) {
  for (const host::PluginRecord& plugin : registry.plugins())
    if (plugin.status == host::PluginStatus::loaded) plugin_files.push_back(plugin.file);
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads its library now, while there is memory
  const stack_t stack{stack_of_handler, 0, sizeof stack_of_handler};
  ::sigaltstack(&stack, nullptr);
  answer();
}

CrashReport::~CrashReport() {
  for (const int signal : crash_signals) ::signal(signal, SIG_DFL);
  std::set_terminate(std::abort);
  plugin_files.clear();
  rescue = nullptr;
  host::whereabouts() = {};
}

void CrashReport::reached(double time) noexcept {
  auto& text = host::whereabouts().time;
  *std::to_chars(text, text + sizeof text - 1, time, std::chars_format::general, 6).ptr = '\0';
}

void CrashReport::set_rescue(std::function<void()> what) {
  rescue = std::move(what);
  process = ::getpid();
  // Registered last, so that results are saved before anything that saving needs is destroyed.
  if (rescue) {
    std::atexit(on_exit);
    std::at_quick_exit(on_exit);
  }
}

void CrashReport::follow(const host::Messenger& back, double seconds) {
  home = &back;
  answer();
  std::set_new_handler(nullptr);  // so that memory which runs out is an exception, as in the command
  if (!(seconds > 0)) return;
  std::strcpy(std::to_chars(time_limit, time_limit + sizeof time_limit - 3, seconds).ptr, " s");
  time_ends = host::used_milliseconds() + static_cast<std::int64_t>(std::ceil(1e3 * seconds));
  ::signal(SIGALRM, on_late);
  host::set_alarm(seconds);
}

WatchedWork::WatchedWork(CrashReport& report, std::string_view text) : report_(report) {
  report_.set_work(text);
  report_.set_rescue([] {});
}

WatchedWork::~WatchedWork() {
  report_.set_rescue({});
  report_.set_work({});
}

}  // namespace polyform::apps
