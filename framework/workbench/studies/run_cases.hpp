// The cases of a study in processes of their own, many at a time.
#pragma once

#include <csignal>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/process/process.hpp"

namespace polyform::host::inline studies {

struct CaseOutcome {
  std::size_t number = 0;
  bool done = false;
  std::string reason;              ///< why it failed, or what it warns of
  std::vector<double> quantities;  ///< none if it failed
  std::vector<double> trajectory{};  ///< rows × columns, where trajectories are asked for and it is done
};

/// Its bytes, to be sent to another process of this program, and back.
std::string pack_outcome(const CaseOutcome&);
CaseOutcome unpack_outcome(std::string_view bytes);

struct CaseLimits {
  double seconds = 0;        ///< that one case may use, computing or asleep; 0: any
  std::uint64_t memory = 0;  ///< bytes of one process; 0: any
  std::size_t workers = 1;   ///< processes at a time
  bool isolate = false;      ///< a process for each case; else for some hundred
  std::size_t together = 1;  ///< cases that a process has under way at a time
  bool long_lived = false;   ///< a worker has one process for all its cases, as beginning one is dear
};

/// What is done for a case, in a process of its own. A Failure is the reason of a failed case; outcomes of an
/// interrupted case are not reported.
using CaseWork = std::function<CaseOutcome(std::size_t number)>;

/// The same for several cases, which are begun in their order and at most CaseLimits::together of which are under way
/// at a time; report takes each outcome, in any order. What becomes of a case does not depend on which others it is
/// done with.
using CaseReport = std::function<void(CaseOutcome)>;
using GroupWork = std::function<void(std::span<const std::size_t> numbers, const CaseReport& report)>;

/// Does the work of all cases and hands each outcome on as it comes, in any order. A case whose process crashes, hangs
/// or runs out of memory fails with that reason, and the others of its process go on in another. Returns whether all
/// were done: not after an interruption. Failure (simulation_failed) if no process can be started.
bool run_cases(std::vector<std::size_t> numbers, const GroupWork&, const std::function<void(CaseOutcome)>& take,
               const CaseLimits&, const volatile std::sig_atomic_t* interrupted);
/// One case after the other.
bool run_cases(std::vector<std::size_t> numbers, const CaseWork&, const std::function<void(CaseOutcome)>& take,
               const CaseLimits&, const volatile std::sig_atomic_t* interrupted);

}  // namespace polyform::host::inline studies
