// A slender rod that stretches: one longitudinal mode, clamped at the frame origin and free at the other end.
#pragma once

#include "polyform/contract/flexible_body.hpp"

namespace example {

const polyform::FlexibleBodyType& bar_flexible_body() noexcept;

}  // namespace example
