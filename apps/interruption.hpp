// Ctrl-C and the end of a job: ask the run to stop, so that what was written stays readable.
#pragma once

#include <csignal>

namespace polyform::apps {

/// From now on SIGINT, SIGTERM and SIGHUP set the flag that is returned, unless the program was started to ignore them; a
/// second one, not in the same breath, ends the program at once.
const volatile std::sig_atomic_t& watch_interruption();

}  // namespace polyform::apps
