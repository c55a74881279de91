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

/// After plugins have run: opens the output and error streams again where they were closed, lest files take their
/// place.
void mend_streams() noexcept;

}  // namespace polyform::host
