// Flexible bodies.
#pragma once

#include "polyform/flexible_body.hpp"

namespace polyform::flexible {

const FlexibleBodyType& flexible_beam() noexcept;  ///< planar Euler-Bernoulli beam by its exact modes

}  // namespace polyform::flexible
