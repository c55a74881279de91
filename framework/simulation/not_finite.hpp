// Observed numbers that are none.
#pragma once

#include <optional>

#include "polyform/element_helpers.hpp"
#include "polyform/formulation.hpp"
#include "polyform/system_view.hpp"

namespace polyform::host {

/// What of an observation is infinite or no number, in a sentence with the name of the first joint or body that has it;
/// nothing when all numbers are finite. The observation has the sizes of the view.
std::optional<Message> not_finite(const SystemView&, const Observation&) noexcept;

}  // namespace polyform::host
