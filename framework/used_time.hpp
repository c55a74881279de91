// The time that a process takes for itself: what it computes and what it sleeps, without what it waits for a processor
// that others have. A limit of it means the same on a busy machine.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace polyform::host {

/// Milliseconds of the monotonic clock, less those that the process has waited, ready to run, since it began. The last
/// is zero where the system does not tell it. 0 is this process. Safe in a signal handler.
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

/// Has a signal handler called, by SIGALRM, when so many seconds may have been used; 0: never. The handler asks whether
/// they have been, and calls this again with what is left where not. Safe in a signal handler.
void set_alarm(double seconds) noexcept;

}  // namespace polyform::host
