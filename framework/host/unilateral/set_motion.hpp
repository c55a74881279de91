// The state that the rows of a set are evaluated at, as the files of the class share it.
#pragma once

#include "framework/host/evaluation/state_motion.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

struct UnilateralSet::Motion : StateMotion {
  using StateMotion::StateMotion;
};

}  // namespace polyform::host::inline unilateral
