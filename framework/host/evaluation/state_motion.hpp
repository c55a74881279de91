// A canonical state, and the motions of all frames that follow from it.
#pragma once

#include <cstdint>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline evaluation {

/// Sized once for a system. A solver writes the state by decode(); tree.evaluate() gives the motions.
struct StateMotion {
  explicit StateMotion(const SystemView& view)
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

}  // namespace polyform::host::inline evaluation
