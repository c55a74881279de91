// Files of states: where a model starts, in the place of what it says itself.
#pragma once

#include <string>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"

namespace polyform::host::inline reading {

/// Takes the initial coordinates and velocities of joints from a file: the last row of a CSV with columns `<joint>.q`,
/// `<joint>.v` and their indexed forms, other columns being ignored; or what `polyform equilibrium --output` wrote.
/// Bodies that no joint holds take theirs from `<body>.x` to `<body>.wz` of a CSV. What the file does not name stays as
/// the model says. Reports what is wrong with the file.
void start_from(const std::string& file, Description&, Diagnostics&);

}  // namespace polyform::host::inline reading
