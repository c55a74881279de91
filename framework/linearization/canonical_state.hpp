// A canonical state with its own storage.
#pragma once

#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host {

struct CanonicalState {
  std::vector<double> q, v, eta, etadot, x;

  CanonicalState() = default;
  explicit CanonicalState(const ConstStateView& s)
      : q(s.q.begin(), s.q.end()),
        v(s.v.begin(), s.v.end()),
        eta(s.eta.begin(), s.eta.end()),
        etadot(s.etadot.begin(), s.etadot.end()),
        x(s.x.begin(), s.x.end()) {}

  StateView view() { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x}; }
  ConstStateView constant() const { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x}; }
};

}  // namespace polyform::host
