// Functions of time, and formulas in their place, in the forms of the model file.
#pragma once

#include <optional>

#include "framework/host/expressions/graph.hpp"
#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

class FormulaReader;

/// Reads a plain number or {constant}, {polynomial}, {ramp}, {sine}, {table, interpolation, periodic, of},
/// {expression}, {sum} or {product}. Coefficients and tables are kept in `storage`; nothing after a report. If formulas
/// is nullptr, only the first five are allowed.
std::optional<TimeFunction> read_time_function(const Value&, std::string_view unit, Description& storage,
                                               FormulaReader* formulas = nullptr);

/// One function or a list of them.
std::optional<std::vector<TimeFunction>> read_time_functions(const Value&, std::string_view unit, Description& storage,
                                                             FormulaReader* formulas = nullptr);

/// The entries `table`, `interpolation` and `periodic` of a map, as a table of one variable; nothing after a report.
std::optional<expressions::Table> read_plain_table(MapReader&);

}  // namespace polyform::host::reading
