// Sentences that the recursion and the sparse system have in common. All return false.
#pragma once

#include <string_view>

#include "polyform/contract/system_view.hpp"
#include "polyform/helpers/failure.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform::particles {

inline bool fail_load(Failure& failure, std::string_view body) noexcept {
  return failure.say("The load on body `{}` is not finite: a force, the state or the time step has gone astray", body);
}

/// kind: "joint"; error: what the accelerations leave of its rows, relative.
inline bool contradict(Failure& failure, const SystemView& view, std::string_view kind, std::string_view name,
                       double error) noexcept {
  return failure.say(
      "The constraints contradict each other at {} `{}`: no accelerations satisfy them all (relative error {:.1e}). {}",
      kind, name, error, causes_of_contradiction(view));
}

}  // namespace polyform::particles
