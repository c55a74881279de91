#include "framework/registry/trial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "framework/registry/crash_guard.hpp"
#include "framework/registry/library.hpp"

namespace polyform::host {

namespace {

constexpr int survived = 113;  ///< a status that a plugin which calls exit() is unlikely to choose

void silence_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void run_child(const std::filesystem::path& file, const PluginManifest& expected) {
  silence_output();
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM, SIGTERM}) ::signal(signal, SIG_DFL);
  ::alarm(longest_load);
  try {
    const Library library(file, expected);
  } catch (...) {
    // An orderly failure; the parent finds it again and words it.
  }
  ::_exit(survived);
}

std::string describe(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGALRM) return fmt::format("does not finish loading within {} s", longest_load);
    return fmt::format("ends the program with signal {} ({}) when it is loaded", signal, ::strsignal(signal));
  }
  const int code = WEXITSTATUS(status);
  if (code == survived) return {};
  return fmt::format("ends the program with status {} when it is loaded", code);
}

}  // namespace

std::string crash_in_trial(const std::filesystem::path& file, const PluginManifest& expected) {
  std::fflush(nullptr);  // or a plugin that calls exit() would print it again
  const pid_t child = ::fork();
  if (child < 0) return {};  // no process to spare: the load in this process has to do
  if (child == 0) run_child(file, expected);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {};
  return describe(status);
}

}  // namespace polyform::host
