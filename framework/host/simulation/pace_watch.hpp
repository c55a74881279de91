// Runs that no longer get on: steps so short, since so many of them are tried in vain, that the end is out of reach.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "framework/host/simulation/solver_ode.hpp"

namespace polyform::host::inline simulation {

/// A step is tried in vain if the derivative or the correction cannot be computed, as beyond a limit position or where
/// rounded lengths lock a linkage. Some such tries are usual. If every fifth fails over a thousand steps, the pace is
/// below a tenth of what it was, and a hundred times as many steps are still to come, the state moves along a barrier:
/// that motion is an error of the steps, and no motion of the model.
class PaceWatch {
 public:
  explicit PaceWatch(double duration) : duration_(duration) {}
  /// After each step, which ended now. Failure (simulation_failed) if the run no longer gets on.
  void look(double now, const SolverOde&);
  /// After look(): a clause, without a full stop, that says that the end is out of reach at the pace of the last 100
  /// 000 steps, because ten million times as many are still to come; or nothing.
  std::optional<std::string> out_of_reach() const;

 private:
  struct Stretch {
    double begin = 0;
    std::size_t steps = 0;     ///< since then
    std::size_t failures = 0;  ///< before
  };
  double duration_;
  double best_pace_ = 0;  ///< of any few steps after each other, s per step
  Stretch few_, many_, long_;
  double long_way_ = never;  ///< of the last long stretch, s
  double now_ = 0;
};

}  // namespace polyform::host::simulation
