// Functions of time in the five forms of the model file.
#pragma once

#include <optional>

#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

/// A plain number or {constant}, {polynomial}, {ramp}, {sine}, {table, interpolation}. Coefficients and tables are kept
/// in `storage`; nothing after a report.
std::optional<TimeFunction> read_time_function(const Value&, std::string_view unit, Description& storage);

/// One function or a list of them.
std::optional<std::vector<TimeFunction>> read_time_functions(const Value&, std::string_view unit, Description& storage);

}  // namespace polyform::host::reading
