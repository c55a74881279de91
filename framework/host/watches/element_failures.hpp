// The reasons for which elements have failed, if their types tell them.
#pragma once

#include <string_view>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline watches {

/// To be called at the beginning of a run: earlier failures in this thread are no cause of failures in the run.
void forget_element_failures(const SystemView&) noexcept;
/// The last failure of an element of the system in this thread, at a time from `since` on, s, in its type's words;
/// empty if there is none.
std::string_view element_failure(const SystemView&, double since) noexcept;

}  // namespace polyform::host::inline watches
