#include "framework/supervision.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

namespace polyform::host {

namespace {

/// In memory that both processes have.
struct Shared {
  bool ended = false;  ///< by a decision of the command itself
  int code = 0;
  Whereabouts where;
};

Shared own;
Shared* shared = &own;
pid_t copy = 0;  ///< the process that is supervised; those that it makes have no say

bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return line.find_first_not_of(" \t0", 10) != std::string::npos;
  return false;
}

void set_code(int code) noexcept {
  if (::getpid() != copy) return;
  shared->code = code;
  shared->ended = true;
}

void hand_on(int signal) { ::kill(copy, signal); }

constexpr int handed_on[] = {SIGINT, SIGTERM, SIGHUP};

sigset_t all_handed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : handed_on) sigaddset(&set, signal);
  return set;
}

int wait_for_copy() {
  on_wish_to_end(hand_on);
  const sigset_t signals = all_handed_on();
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// The signals by which people and shells end programs are no failure to explain.
bool is_wish(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGPIPE || signal == SIGHUP || signal == SIGQUIT;
}

void die_of(int signal) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

int explain(const char* what, const char* remedy) {
  const Whereabouts& where = whereabouts();
  say("error: ");
  say(what);
  say_whereabouts();
  say("\n  ");
  say(remedy);
  say(where.time[0] != '\0' ? " Results so far are kept but for the last seconds.\n" : "\n");
  return static_cast<int>(where.blame);
}

int judge(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (is_wish(signal)) die_of(signal);
    const char* const name = ::sigabbrev_np(signal);
    const std::string what = std::string("polyform was ended by signal ") + (name != nullptr ? name : "?");
    return signal == SIGKILL
               ? explain(what.c_str(), "Perhaps the machine ran out of memory, or somebody ended it.")
               : explain(what.c_str(), "This is a defect of polyform or of a plugin; please report it with the model.");
  }
  const int code = WEXITSTATUS(status);
  if (shared->ended) return code != 0 ? code : shared->code;
  const std::string what = "a plugin ended the program with exit status " + std::to_string(code);
  return explain(what.c_str(), "Report this to the author of the plugin; polyform conform FILE looks for the cause.");
}

}  // namespace

int supervise(const std::function<int()>& work) {
  if (is_traced()) return work();
  void* const page = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return work();
  shared = new (page) Shared;
  const sigset_t signals = all_handed_on();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  std::fflush(nullptr);
  const pid_t self = ::getpid();
  const pid_t id = ::fork();
  if (id > 0) {
    copy = id;
    return judge(wait_for_copy());
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (id < 0) return work();  // no process to spare
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != self) ::_exit(1);
  copy = ::getpid();
  const int code = work();
  set_code(code);
  return code;
}

void on_wish_to_end(void (*handler)(int)) noexcept {
  for (const int signal : handed_on) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, nullptr);
  }
}

void leave(Exit code) noexcept {
  set_code(static_cast<int>(code));
  ::_exit(static_cast<int>(code));
}

void Whereabouts::set_work(std::string_view first, std::string_view second) noexcept {
  std::size_t size = first.copy(work, sizeof work - 1);
  size += second.copy(work + size, sizeof work - 1 - size);
  work[size] = '\0';
}

Whereabouts& whereabouts() noexcept { return shared->where; }

void say(const char* text) noexcept {
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  (void)written;  // nobody is left to be told
}

void say_whereabouts() noexcept {
  const Whereabouts& where = whereabouts();
  if (where.work[0] != '\0') say(", in ");
  say(where.work);
  if (where.time[0] == '\0') return;
  say(" after t = ");
  say(where.time);
  say(" s");
}

}  // namespace polyform::host
