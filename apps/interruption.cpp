#include "apps/interruption.hpp"

#include <csignal>
#include <cstdint>
#include <ctime>

#include "framework/supervision.hpp"

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
  host::on_wish_to_end(on_signal);
  return interrupted;
}

}  // namespace polyform::apps
