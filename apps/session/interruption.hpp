// Ctrl-C and the end of a job: ask the run to stop, so that what was written stays readable.
#pragma once

#include <csignal>

namespace polyform::apps {

/// From now on SIGINT, SIGTERM and SIGHUP set the flag that is returned, unless the program was started to ignore them;
/// a second one, unless it follows at once, ends the program.
const volatile std::sig_atomic_t& watch_interruption();

/// Time that work may take to stop after SIGTERM or SIGHUP, which batch systems and services send once, s.
inline constexpr unsigned patience = 5;
/// Time after which a note at the terminal says that a second Ctrl-C ends work that goes on after the first, s.
inline constexpr unsigned silence = 1;

/// While it lives, plugins work in this process, after watch_interruption(). When they keep it from stopping in time
/// after a signal, it ends as by a second signal, or a note says how to end it; see above.
class InterruptibleWork {
 public:
  InterruptibleWork() noexcept;
  ~InterruptibleWork();
  InterruptibleWork(const InterruptibleWork&) = delete;
  InterruptibleWork& operator=(const InterruptibleWork&) = delete;
};

}  // namespace polyform::apps
