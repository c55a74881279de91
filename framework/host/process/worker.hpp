// The work inside a process.
#pragma once

#include "framework/host/process/process.hpp"

namespace polyform::host::inline process {

/// Does the work under the limit of memory, reports how it went through the pipe, ends the process.
[[noreturn]] void work_and_exit(const ProcessJob&, const ProcessLimits&, int pipe) noexcept;

/// The text of a Failure on its way through the pipe, and back.
std::string pack(const Failure&);
void unpack(std::string_view text, ProcessEnd&);

}  // namespace polyform::host::process
