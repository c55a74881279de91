// The streams of the program, where plugins share the process: the output stream is the host's alone.
#pragma once

#include <cstdio>

namespace polyform::host {

/// Call it once, before any plugin is loaded. It keeps the output stream for output(), and leads all else that is
/// printed there to the error stream, so that the output of plugins does not stand between results. A standard stream
/// that is closed stays so, but no file that is opened later takes its place.
void take_output() noexcept;

/// The stream for results: the one that take_output() kept, or the plain output stream before it is called.
std::FILE* output() noexcept;

/// Whether the stream for results has taken all that was printed so far: false on a full disk or a closed pipe. Work
/// that prints bit by bit ends where it has not.
bool output_is_taken() noexcept;

/// Call it after plugins have run and before messages: opens the output and error streams again if they were closed, so
/// that no files take their place.
void mend_streams() noexcept;
/// From now on nothing is mended: the streams were led elsewhere on purpose.
void leave_streams() noexcept;
/// Whether the error stream still is the one that take_output() found: false if plugins closed all that leads to it.
bool has_error_stream() noexcept;

}  // namespace polyform::host
