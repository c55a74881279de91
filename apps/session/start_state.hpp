// The state that a model starts from, in a file of any kind that has one.
#pragma once

#include <optional>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"

namespace polyform::apps {

/// As host::start_from, and from a row of an HDF5 file of results. file "": the model's own state, with the clock at
/// the time. Failure (bad_input) for an HDF5 file that cannot be read.
void start_at(const std::string& file, std::optional<double> at_time, host::Description&, host::Diagnostics&);

}  // namespace polyform::apps
