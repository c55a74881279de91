// Flexible bodies.
#pragma once

#include "polyform/contract/flexible_body.hpp"

namespace polyform::flexible {

const FlexibleBodyType& flexible_beam() noexcept;  ///< planar Euler-Bernoulli beam by its exact modes
const FlexibleBodyType& modal_body() noexcept;     ///< spatial body by the modes of its nodes

}  // namespace polyform::flexible
