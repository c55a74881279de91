#include "framework/registry/crash_guard.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "framework/diagnostics.hpp"

namespace polyform::host {

namespace {

const char* guarded_file = "";

/// Only what is allowed in a signal handler.
void say(const char* text) {
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  (void)written;  // nobody is left to be told
}

void name_and_end(int) {
  say("error: ");
  say(guarded_file);
  say(" crashed while it was loaded\n");
  say("  Remove it from the plugin folder; polyform plugins check FILE tells more.\n");
  ::_exit(static_cast<int>(Exit::plugin));
}

}  // namespace

CrashGuard::CrashGuard(const std::filesystem::path& file) noexcept {
  guarded_file = file.c_str();
  terminate_before_ = std::set_terminate(std::abort);
  struct sigaction action {};
  action.sa_handler = name_and_end;
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &actions_before_[i]);
}

CrashGuard::~CrashGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &actions_before_[i], nullptr);
  std::set_terminate(terminate_before_);
}

}  // namespace polyform::host
