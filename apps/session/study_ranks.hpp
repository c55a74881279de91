// The cases of a study shared out among ranks: rank 0 hands out cases and gathers what they give, the others run them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/session/ranks.hpp"
#include "framework/workbench/studies/run_cases.hpp"

namespace polyform::apps {

/// On rank 0: as host::run_cases, by the other ranks. Returns when all of these have come to their end. Failure
/// (simulation_failed) where cases are left because ranks could not take part.
bool hand_out_cases(Ranks&, const std::vector<std::size_t>& numbers, const std::function<void(host::CaseOutcome)>& take,
                    const volatile std::sig_atomic_t* interrupted);
/// On every other rank: runs what is handed out, until there is no more.
void run_handed_out_cases(Ranks&, const host::GroupWork&, const host::CaseLimits&,
                          const volatile std::sig_atomic_t* interrupted);
/// On another rank, in place of that: it cannot take part, for a reason.
void leave_ranks(Ranks&, const std::string& reason);

}  // namespace polyform::apps
