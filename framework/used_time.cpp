#include "framework/used_time.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "framework/supervision.hpp"

namespace polyform::host {

namespace {

/// The second number of /proc/PROCESS/schedstat: how long its main thread has waited for a processor.
std::int64_t waited_milliseconds(pid_t process) noexcept {
  char path[48] = "/proc/";
  char* end = path + std::strlen(path);
  if (process > 0)
    end = std::to_chars(end, path + 24, process).ptr;
  else
    end = std::strcpy(end, "self") + 4;
  std::strcpy(end, "/schedstat");
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[96];
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  const char* const last = text + std::max<ssize_t>(size, 0);
  const char* const space = std::find(static_cast<const char*>(text), last, ' ');
  std::int64_t nanoseconds = 0;
  if (space != last) std::from_chars(space + 1, last, nanoseconds);
  return nanoseconds / 1'000'000;
}

}  // namespace

std::int64_t used_milliseconds(pid_t process) noexcept { return clock_milliseconds() - waited_milliseconds(process); }

void set_alarm(double seconds) noexcept {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(timer.it_value.tv_sec)));
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace polyform::host
