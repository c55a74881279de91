// The time that a process uses: the time in which it computes or sleeps, without the time in which it waits for a busy
// processor. A limit of it means the same on a busy machine.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace polyform::host {

/// Milliseconds of the monotonic clock, less those that the process has waited, ready to run, since it began. The
/// latter are zero if the system does not tell them. 0 is this process. Safe in a signal handler.
std::int64_t used_milliseconds(pid_t process = 0) noexcept;

/// The time that a process has used since this was made.
class UsedTime {
 public:
  explicit UsedTime(pid_t process = 0) noexcept : process_(process), start_(used_milliseconds(process)) {}
  /// Seconds. Safe in a signal handler.
  double seconds() const noexcept { return 1e-3 * static_cast<double>(used_milliseconds(process_) - start_); }

 private:
  pid_t process_;
  std::int64_t start_;
};

/// Calls the signal handler, by SIGALRM, when so many seconds may have been used; 0: never. The handler checks whether
/// they have been; if not, it calls this again with the rest. Safe in a signal handler.
void set_alarm(double seconds) noexcept;

}  // namespace polyform::host
