#include "framework/supervision.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/original_process.hpp"
#include "framework/streams.hpp"
#include "framework/used_time.hpp"

namespace polyform::host {

namespace {

/// In memory that both processes have.
struct Shared {
  bool ended = false;   ///< by a decision of the command itself
  bool heeded = false;  ///< a wish to end is being fulfilled
  int code = 0;
  Whereabouts where;
  char words[4096] = "";  ///< that the copy could not print
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

// What the one that waits knows of wishes to end. After the first, the copy has its time to heed it; SIGINT, which
// people repeat, gives none before the second.
volatile std::sig_atomic_t wishes = 0, killed_for_wish = 0, killed_for_time = 0;
volatile std::int64_t wish_ends = 0;  ///< when the copy is killed, ms; 0: never

// Longer than the copy itself waits for a plugin, so that it is the one to tell more.
constexpr std::int64_t time_to_heed = 8000, time_after_second = 3000, look_every = 500;

void hand_on(int signal) {
  constexpr std::int64_t breath = 100;  // the end of a job may tell a process and its group
  static volatile std::int64_t last = 0;
  const std::int64_t now = clock_milliseconds();
  ::kill(copy, signal);
  ::kill(copy, SIGCONT);  // one that was stopped hears of it too
  if (wishes != 0 && now <= last + breath) return;
  last = now;
  wishes = wishes + 1;
  if (wishes > 1)
    wish_ends = now + time_after_second;
  else if (signal != SIGINT)
    wish_ends = now + time_to_heed;
}

/// Now and then: is the copy over its time?
void look(int) {
  const std::int64_t now = clock_milliseconds(), deadline = shared->where.deadline;
  if (wish_ends != 0 && now > wish_ends && (wishes > 1 || !shared->heeded))
    killed_for_wish = 1;
  else if (deadline != 0 && now > deadline && used_milliseconds(copy) > deadline)
    killed_for_time = 1;
  else
    return;
  ::kill(copy, SIGKILL);
}

constexpr int handed_on[] = {SIGINT, SIGTERM, SIGHUP};

sigset_t all_handed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : handed_on) sigaddset(&set, signal);
  return set;
}

int wait_for_copy() {
  on_wish_to_end(hand_on);
  struct sigaction watch {};
  watch.sa_handler = look;
  ::sigaction(SIGALRM, &watch, nullptr);
  const itimerval now_and_then{{0, look_every * 1000}, {0, look_every * 1000}};
  ::setitimer(ITIMER_REAL, &now_and_then, nullptr);
  const sigset_t signals = all_handed_on();
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  shared->words[sizeof shared->words - 1] = '\0';
  say(shared->words);
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

/// The end that was asked for, while something was being done.
int say_interrupted(int signal) {
  say(signal == SIGKILL ? "warning: interrupted, but the work did not heed it and was killed" : "warning: interrupted");
  say_whereabouts();
  say("\n  ");
  say(signal == SIGKILL ? "A plugin kept it from that, or somebody stopped it." : "It was not done.");
  say(whereabouts().time[0] != '\0' ? " Results so far are kept but for the last seconds.\n" : "\n");
  return static_cast<int>(Exit::interrupted);
}

int judge(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGKILL && killed_for_time != 0)
      return explain("the work was not done within its time, and did not heed the end of it",
                     "A plugin hangs; report this to its author, and remove it from the plugin folder until then.");
    const bool working = shared->where.work[0] != '\0' && (signal == SIGINT || signal == SIGTERM || signal == SIGHUP);
    if (working || (signal == SIGKILL && killed_for_wish != 0)) return say_interrupted(signal);
    if (is_wish(signal)) die_of(signal);
    const char* const name = ::sigabbrev_np(signal);
    const std::string what = std::string("polyform was ended by signal ") + (name != nullptr ? name : "?");
    return signal == SIGKILL ? explain(what.c_str(), "Perhaps the machine ran out of memory, or somebody ended it.")
                             : explain(what.c_str(), remedies::report_defect);
  }
  const int code = WEXITSTATUS(status);
  if (shared->ended) return code != 0 ? code : shared->code;
  const std::string what = "a plugin ended the program with exit status " + std::to_string(code);
  return explain(what.c_str(), "Report this to the author of the plugin; polyform conform FILE looks for the cause.");
}

}  // namespace

int supervise(const std::function<int()>& work) {
  claim_process();
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
  claim_process();
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

void heed_wish() noexcept {
  if (::getpid() == copy) shared->heeded = true;
}

void hand_over(std::string_view text) noexcept {
  char* const end = shared->words + std::strlen(shared->words);
  const std::size_t room = static_cast<std::size_t>(shared->words + sizeof shared->words - 1 - end);
  end[text.copy(end, room)] = '\0';
}

std::int64_t clock_milliseconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return 1000 * static_cast<std::int64_t>(now.tv_sec) + now.tv_nsec / 1'000'000;
}

void leave(Exit code) noexcept {
  set_code(static_cast<int>(code));
  ::_exit(static_cast<int>(code));
}

void Whereabouts::set_work(std::string_view first, std::string_view second) noexcept {
  std::size_t size = first.copy(work, sizeof work - 1);
  size += second.copy(work + size, sizeof work - 1 - size);
  work[size] = '\0';
  // Names of files may hold what steers a terminal.
  for (char& c : work)
    if ((c > 0 && c < ' ') || c == 0x7F) c = '?';
}

Whereabouts& whereabouts() noexcept { return shared->where; }

void say(const char* text) noexcept {
  mend_streams();
  if (has_error_stream() && ::write(STDERR_FILENO, text, std::strlen(text)) >= 0) return;
  if (::getpid() == copy && shared != &own) hand_over(text);
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
