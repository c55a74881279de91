// Observed numbers that are not finite, or mean nothing.
#pragma once

#include <optional>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/system_view.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::host::inline evaluation {

/// What of an observation is infinite, no number or so large that it cannot be of any real thing, in a sentence with
/// the name of the first joint or body that has it; nothing when all numbers are sound. The observation has the sizes
/// of the view.
std::optional<Message> not_finite(const SystemView&, const Observation&) noexcept;

}  // namespace polyform::host::evaluation
