// Why elements have failed, where their types tell it.
#pragma once

#include <string_view>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline simulation {

/// At the beginning of a run: what elements could not do before in this thread is no cause of what happens in it.
void forget_element_failures(const SystemView&) noexcept;
/// What an element of the system could not do last in this thread, at a time from `since` on, s, as its type says;
/// empty if none has failed.
std::string_view element_failure(const SystemView&, double since) noexcept;

}  // namespace polyform::host::inline simulation
