#include "apps/interruption.hpp"

#include <cstdint>
#include <ctime>

namespace polyform::apps {

namespace {
volatile std::sig_atomic_t interrupted = 0;
volatile std::int64_t first = 0;  ///< time of the first signal, ms

std::int64_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1000 * static_cast<std::int64_t>(now.tv_sec) + now.tv_nsec / 1'000'000;
}

/// A second signal ends the program, for work that never looks at the flag. One that comes in the same breath is the
/// same wish: the end of a job may tell a process and its group.
void on_signal(int number) {
  constexpr std::int64_t breath = 100;
  if (interrupted == 0) {
    first = milliseconds();
    interrupted = 1;
  } else if (milliseconds() > first + breath) {
    signal(number, SIG_DFL);
    raise(number);
  }
}
}  // namespace

const volatile std::sig_atomic_t& watch_interruption() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

}  // namespace polyform::apps
