#include "apps/crash_report.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "framework/diagnostics.hpp"

namespace polyform::apps {

namespace {

constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// What the handlers need: nothing of it is made in them.
std::vector<std::string> plugin_files;
std::function<void()> rescue;
pid_t process = 0;  ///< whose results they are
char stack_of_handler[1u << 16];

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
  host::say("error: ");
  host::say(plugin != nullptr ? plugin : "polyform");
  host::say(what);
  host::say(detail);
  host::say_whereabouts();
  host::say(plugin != nullptr
                ? "\n  Report this to the author of the plugin; polyform conform FILE looks for the cause. "
                : "\n  This is a defect of polyform or of a plugin; please report it with the model. ");
  host::say(kept);
  host::leave(host::Exit::simulation_failed);
}

/// A copy of this program that a plugin made is another's affair, and has none of the threads that save results.
bool is_copy() { return rescue && ::getpid() != process; }

[[noreturn]] void end_copy(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  ::_exit(128 + signal);
}

void on_signal(int signal) {
  if (is_copy()) end_copy(signal);
  const char* const name = ::sigabbrev_np(signal);
  end_program(" crashed with signal ", name != nullptr ? name : "?", most_kept);
}

void save_results() {
  if (const auto save = std::exchange(rescue, nullptr)) try {
      save();
    } catch (...) {  // what could be saved is
    }
}

/// The stack is still that of the throw: no frame was left on the way out of a function that may not throw.
[[noreturn]] void on_terminate() {
  if (is_copy()) end_copy(SIGABRT);
  save_results();
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

/// Inside exit(), whose caller is on the stack.
void on_exit() {
  if (!rescue || is_copy()) return;
  save_results();
  end_program(" ended the program by calling exit", "", all_kept);
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
  // Only now: what was made ready for the results is then taken down after they are saved.
  if (rescue) {
    std::atexit(on_exit);
    std::at_quick_exit(on_exit);
  }
}

}  // namespace polyform::apps
