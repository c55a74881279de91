// Ctrl-C and the end of a job: ask the run to stop, so that what was written stays readable.
#pragma once

#include <csignal>

namespace polyform::apps {

/// From now on SIGINT, SIGTERM and SIGHUP set the flag that is returned, unless the program was started to ignore them;
/// a second one, not in the same breath, ends the program at once.
const volatile std::sig_atomic_t& watch_interruption();

/// How long work may take to heed SIGTERM or SIGHUP, which batch systems and services send once, s.
inline constexpr unsigned patience = 5;
/// After which somebody at a terminal is told that a second Ctrl-C ends work that has not heeded the first, s.
inline constexpr unsigned silence = 1;

/// While it lives, plugins work in this process, after watch_interruption(). When they do not let it heed a signal
/// within its time, it is ended as by a second one, or a note says how to; see above.
class InterruptibleWork {
 public:
  InterruptibleWork() noexcept;
  ~InterruptibleWork();
  InterruptibleWork(const InterruptibleWork&) = delete;
  InterruptibleWork& operator=(const InterruptibleWork&) = delete;
};

}  // namespace polyform::apps
