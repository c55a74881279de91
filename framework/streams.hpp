// The streams of the program, where plugins share the process: the output stream is the host's alone.
#pragma once

#include <cstdio>

namespace polyform::host {

/// Once, before any plugin is loaded: keeps the output stream for output(), and leads all else that is printed on it to
/// the error stream, so that what plugins print does not stand between results. A standard stream that is closed stays
/// so, but no file that is opened later takes its place.
void take_output() noexcept;

/// Where results go: what take_output() kept, or the plain output stream before.
std::FILE* output() noexcept;

/// After plugins have run, and before messages: opens the output and error streams again where they were closed, lest
/// files take their place.
void mend_streams() noexcept;
/// From now on nothing is mended: the streams were led elsewhere on purpose.
void leave_streams() noexcept;
/// Whether the error stream still is the one that take_output() found: false if plugins closed all that leads to it.
bool has_error_stream() noexcept;

}  // namespace polyform::host
