// What a command reads and what it is asked to write: a file may be only one of both.
#pragma once

#include "apps/session/arguments.hpp"
#include "framework/host/results/file_roles.hpp"

namespace polyform::apps {

/// The model, the state that it starts from, and plugins. Failure (bad_input) if an output is one of them.
void add_model_files(host::FileRoles&, const ModelArguments&);
/// The files of parts that were read with the model, once it is read.
void add_parts(host::FileRoles&);

}  // namespace polyform::apps
