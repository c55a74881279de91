// The cases of a study in processes of their own, many at a time.
#pragma once

#include <csignal>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/host/process/process.hpp"

namespace polyform::host::inline studies {

struct CaseOutcome {
  std::size_t number = 0;
  bool done = false;
  std::string reason;                ///< why it failed, or what it warns of
  std::vector<double> quantities;    ///< none if it failed
  std::vector<double> trajectory{};  ///< rows × columns, where trajectories are asked for and it is done
};

/// Adds its bytes to those of others, to be sent to another process of this program.
void pack_outcome(const CaseOutcome&, std::string& bytes);
/// All outcomes of such bytes, in their order.
std::vector<CaseOutcome> unpack_outcomes(std::string_view bytes);

struct CaseLimits {
  double seconds = 0;                 ///< that one case may use, computing or asleep; 0: any
  std::uint64_t memory = 0;           ///< bytes of one process; 0: any
  std::size_t workers = 1;            ///< processes at a time
  bool isolate = false;               ///< a process for each case; else for some hundred or a thousand
  std::size_t together = 1;           ///< cases that a process has under way at a time
  bool long_lived = false;            ///< a worker has one process for all its cases, as beginning one is dear
  std::function<void()> meanwhile{};  ///< as of ProcessLimits
};

/// Takes the outcomes of cases as they end, in any order. Those of quick cases wait for a moment, to go together.
class CaseReport {
 public:
  /// look: hands on what has waited for its moment; may be empty.
  explicit CaseReport(std::function<void(CaseOutcome)> take, std::function<void()> look = {})
      : take_(std::move(take)), look_(std::move(look)) {}
  void operator()(CaseOutcome outcome) const { take_(std::move(outcome)); }
  /// Called now and then while cases go on: no outcome waits for a long case to end. It costs next to nothing.
  void look() const {
    if (look_) look_();
  }

 private:
  std::function<void(CaseOutcome)> take_;
  std::function<void()> look_;
};

/// What is done for cases, in a process of its own. They are begun in their order, and at most CaseLimits::together of
/// them are under way at a time. Outcomes of interrupted cases are not reported. What becomes of a case does not depend
/// on which others it is done with.
using GroupWork = std::function<void(std::span<const std::size_t> numbers, const CaseReport& report)>;
/// Takes outcomes that come together.
using TakeOutcomes = std::function<void(std::vector<CaseOutcome>)>;

/// Does the work of all cases and hands outcomes on as they come, in any order. A case whose process crashes, hangs
/// or runs out of memory fails with that reason, and the others of its process go on in another. Returns whether all
/// were done: not after an interruption. Failure (simulation_failed) if no process can be started.
bool run_cases(std::vector<std::size_t> numbers, const GroupWork&, const TakeOutcomes& take, const CaseLimits&,
               const volatile std::sig_atomic_t* interrupted);

}  // namespace polyform::host::inline studies
