// The record of a run as text, on its way between processes.
#pragma once

#include <string>
#include <string_view>

#include "framework/host/simulation/run_record.hpp"

namespace polyform::host::inline comparison {

std::string to_text(const RunRecord&);
/// What to_text made; numbers that are not finite come back as NaN. Failure (simulation_failed) for any other text.
RunRecord run_from_text(std::string_view);

}  // namespace polyform::host::comparison
