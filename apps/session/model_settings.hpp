// Values of a model that the command line gives, and the state that it starts from.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/studies/varied_model.hpp"

namespace polyform::apps {

/// Puts the values of PATH=VALUE into the model. Failure (bad_input) if a text has no '=', a path is given twice or
/// leads to nothing.
void set_values(host::VariedModel&, const std::vector<std::string>& given);

}  // namespace polyform::apps
