// Warnings about flexible bodies beyond the validity of their modes.
#pragma once

#include "apps/text/terminal.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/simulation/mode_limits.hpp"
#include "framework/workbench/linearization/canonical_state.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::apps {

inline void print_warnings(const host::ModeLimits& limits) {
  for (const host::ModeLimits::Warning& w : limits.warnings()) print(Severity::warning, w.message, w.remedy);
}

/// Warns of flexible bodies that are deformed or spin at a state beyond the validity of their modes.
inline void warn_of_modes(const host::System& system, double t, const host::CanonicalState& s) {
  host::ModeLimits limits(system.view());
  TreeKinematics tree(system.view());
  tree.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
  for (const std::size_t b : limits.bodies()) {
    const FlexibleData& f = system.view().flexible[system.view().bodies[b].flexible];
    const BodyMotion& now = tree.bodies()[b];
    limits.look(t, b, now.R, now.V.angular, std::span(s.eta).subspan(f.mode_offset, f.modes));
  }
  print_warnings(limits);
}

}  // namespace polyform::apps
