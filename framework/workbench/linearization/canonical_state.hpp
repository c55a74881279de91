// A canonical state with its own storage.
#pragma once

#include <cstdint>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline linearization {

struct CanonicalState {
  std::vector<double> q, v, eta, etadot, x;
  std::vector<std::int32_t> discrete;

  CanonicalState() = default;
  explicit CanonicalState(const ConstStateView& s)
      : q(s.q.begin(), s.q.end()),
        v(s.v.begin(), s.v.end()),
        eta(s.eta.begin(), s.eta.end()),
        etadot(s.etadot.begin(), s.etadot.end()),
        x(s.x.begin(), s.x.end()),
        discrete(s.discrete.begin(), s.discrete.end()) {}

  StateView view() { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete}; }
  ConstStateView constant() const {
    return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete};
  }
};

}  // namespace polyform::host::linearization
