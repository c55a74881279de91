// Sobol indices of a study, as text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "apps/text/json_output.hpp"
#include "framework/workbench/studies/table.hpp"

namespace polyform::apps {

/// A table of first and total indices with their intervals, where the method of the study allows them; else "".
std::string influence_text(const host::StudyTable&, std::string_view method);

/// For each quantity, in order: `factors`, for each `first` and `total` as [value, low, high]; `samples`, `left_out`,
/// and `why_not` if there are none.
Json influence_json(const host::StudyTable&, std::string_view method);

}  // namespace polyform::apps
