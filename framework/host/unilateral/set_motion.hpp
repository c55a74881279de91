// The state that the rows of a set are evaluated at, as the files of the class share it.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/host/unilateral/unilateral_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline unilateral {

/// The canonical state and the motions that follow from it.
struct UnilateralSet::Motion {
  explicit Motion(const SystemView& view)
      : q(view.nq),
        v(view.nv),
        eta(view.modes),
        etadot(view.modes),
        x(view.states),
        discrete(view.discrete),
        tree(view) {}
  StateView state() { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete}; }
  std::vector<double> q, v, eta, etadot, x;
  std::vector<std::int32_t> discrete;
  TreeKinematics tree;
};

}  // namespace polyform::host::inline unilateral
