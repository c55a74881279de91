// The description of a model from which the page draws it.
#pragma once

#include "apps/text/json_output.hpp"

namespace polyform::apps {

/// Bodies, joints and forces that can be drawn (springs, ropes, wheels, stops, rods), in the user's order. Points are
/// in the axes of the undeformed body; on flexible bodies they come with the shape functions that move them (3 × modes,
/// rows first).
Json mechanism_json(const host::System&);

}  // namespace polyform::apps
