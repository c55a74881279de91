#include "framework/registry/crash_guard.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "framework/supervision.hpp"

namespace polyform::host {

namespace {

const char* guarded_file = "";

void name_and_end(int signal) {
  static_assert(longest_load == 20, "as the message says");
  say("error: ");
  say(guarded_file);
  say(signal == SIGALRM ? " does not finish loading, for which it had 20 s\n" : " crashed while it was loaded\n");
  say("  Remove it from the plugin folder; polyform plugins check FILE tells more.\n");
  leave(Exit::plugin);
}

}  // namespace

CrashGuard::CrashGuard(const std::filesystem::path& file) noexcept {
  guarded_file = file.c_str();
  whereabouts().set_work("the loading of ", guarded_file);
  whereabouts().blame = Exit::plugin;
  terminate_before_ = std::set_terminate(std::abort);
  struct sigaction action {};
  action.sa_handler = name_and_end;
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &actions_before_[i]);
  ::alarm(longest_load);
}

CrashGuard::~CrashGuard() {
  ::alarm(0);
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &actions_before_[i], nullptr);
  whereabouts() = {};
  std::set_terminate(terminate_before_);
}

}  // namespace polyform::host
