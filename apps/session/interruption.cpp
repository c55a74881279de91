#include "apps/session/interruption.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "framework/supervision.hpp"

namespace polyform::apps {

namespace {
volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t working = 0;   ///< whether plugins are at work, which may delay the end
volatile std::sig_atomic_t asked_by = 0;  ///< the first signal
volatile std::int64_t first = 0;          ///< its time, ms

unsigned time_to_heed() { return asked_by == SIGINT ? silence : patience; }

/// A second signal ends the program, for work that never checks the flag. One that follows at once counts as the same
/// signal: the end of a job may be sent to a process and to its group.
void on_signal(int number) {
  constexpr std::int64_t breath = 100;
  if (interrupted == 0) {
    first = host::clock_milliseconds();
    asked_by = number;
    interrupted = 1;
    if (working != 0) ::alarm(time_to_heed());
  } else if (host::clock_milliseconds() > first + breath) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

void say_end(const char* what) {
  host::say_whereabouts();
  host::say("\n  ");
  host::say(what);
  host::say(host::whereabouts().time[0] != '\0' ? "; the results so far are kept.\n" : ".\n");
}

void on_alarm(int) {
  if (asked_by == SIGINT) {
    host::say("\nnote: a step of the run does not end");
    return say_end("Ctrl-C once more ends the run at once");
  }
  static_assert(patience == 5, "as the message says");
  host::say("warning: interrupted, but a step of the run did not end within 5 s");
  say_end("The run is given up");
  host::leave(host::Exit::interrupted);
}

}  // namespace

const volatile std::sig_atomic_t& watch_interruption() {
  host::on_wish_to_end(on_signal);
  return interrupted;
}

InterruptibleWork::InterruptibleWork() noexcept {
  struct sigaction action {};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  working = 1;
  if (interrupted != 0) ::alarm(time_to_heed());
}

InterruptibleWork::~InterruptibleWork() {
  working = 0;
  ::alarm(0);
  if (interrupted != 0) host::heed_wish();
}

}  // namespace polyform::apps
