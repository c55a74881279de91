// Linear models and their modes, for people and as JSON.
#pragma once

#include <string>

#include "apps/json_output.hpp"
#include "framework/linearization/linearize.hpp"
#include "framework/linearization/modes.hpp"

namespace polyform::apps {

/// States, inputs, outputs with units; A, B, C, D as lists of rows; modes with shapes; errors.
Json linear_json(const host::Linearization&, const host::Modes&);
/// The same as tables.
void print_linear(const host::Linearization&, const host::Modes&);

/// Warns where an entry of A is uncertain.
void warn_of_errors(const host::Linearization&);

/// Whether disturbances die out, in one sentence, and which first-order states only add up what others do.
std::string stability_text(const host::Linearization&, const host::Modes&);

}  // namespace polyform::apps
