// The files that a command reads and those that it is asked to write: no file may be both.
#pragma once

#include <string>
#include <vector>

#include "apps/session/arguments.hpp"
#include "framework/host/results/file_roles.hpp"

namespace polyform::apps {

/// Adds the files of the model, of its initial state and of plugins. Failure (bad_input) if an output is one of them.
void add_model_files(host::FileRoles&, const ModelArguments&);
/// The files of parts that were read with the model, once it is read; returns their paths.
std::vector<std::string> add_parts(host::FileRoles&);

}  // namespace polyform::apps
