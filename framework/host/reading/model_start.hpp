// The start that a model has of its own, where a run begins with another state.
#pragma once

#include "framework/host/reading/description.hpp"

namespace polyform::host::inline reading {

/// Keeps the model's own start (Description::own_start) before another one takes its place.
void keep_own_start(Description&);
/// Puts a start of the same joints and bodies in the place of the model's, which it becomes.
void exchange_starts(Description&, ModelStart&);

}  // namespace polyform::host::inline reading
