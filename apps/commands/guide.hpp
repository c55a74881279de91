// The part of the help beyond the options.
#pragma once

#include <string>

namespace polyform::apps {

/// Examples, solvers and integrators found, the search path of plugins, the exit codes.
std::string guide();

}  // namespace polyform::apps
