// The cases of a study shared among ranks: rank 0 hands out cases and collects their results, the others run them.
#pragma once

#include <string>
#include <vector>

#include "apps/session/ranks.hpp"
#include "framework/workbench/studies/run_cases.hpp"

namespace polyform::apps {

/// For rank 0: does what host::run_cases does, with the other ranks. Returns when all of these have ended. The cases of
/// a rank that gives no sign of life any more are done by the others. numbers: rising. together: as of CaseLimits, 1
/// where each case has a process of its own. Failure (simulation_failed) if cases are left because ranks could not take
/// part or are lost.
bool hand_out_cases(Ranks&, const std::vector<std::size_t>& numbers, std::size_t together,
                    const host::TakeOutcomes& take, const volatile std::sig_atomic_t* interrupted);
/// For rank 0, in place of hand_out_cases: there are no cases.
void dismiss_ranks(Ranks&) noexcept;
/// For every other rank: runs the cases that it is handed, until there are no more.
void run_handed_out_cases(Ranks&, const host::GroupWork&, host::CaseLimits,
                          const volatile std::sig_atomic_t* interrupted);
/// For another rank, in place of run_handed_out_cases: tells that it cannot take part, and why.
void leave_ranks(Ranks&, const std::string& reason);

}  // namespace polyform::apps
