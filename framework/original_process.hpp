// Which process does the work, where plugins may copy it.
#pragma once

namespace polyform::host {

/// In each process that the host makes, and in the first: this one does the work.
void claim_process() noexcept;

/// Returns at once in a process that was claimed, and where none was. Ends a copy that a plugin made of one, with a
/// word on the error stream: it would write every result a second time. A copy that becomes another program, as by
/// system(), never comes here. Costs one comparison.
void end_copies() noexcept;

/// Whether this is such a copy.
bool is_copy() noexcept;

}  // namespace polyform::host
