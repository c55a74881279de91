// What `check` tells, as JSON.
#pragma once

#include <string>
#include <vector>

#include "apps/text/json_output.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/assembly/singular_position.hpp"
namespace polyform::apps {

/// "a, b, c and 3 more".
std::string shown_names(const std::vector<std::string>& names);

/// diagnostics: of reading and assembly; failure: of a solver at the start, or empty.
Json check_json(const host::System&, const host::ConstraintCount&, const host::Neighbourhood& next,
                const host::Diagnostics&, const std::string& failure);

}  // namespace polyform::apps
