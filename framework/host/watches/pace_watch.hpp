// Runs that no longer get on: steps so short, since so many of them are tried in vain, that the end is out of reach.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "framework/host/evaluation/solver_ode.hpp"

namespace polyform::host::inline watches {

/// A step is tried in vain if the derivative or the correction cannot be computed, as beyond a limit position or where
/// rounded lengths lock a linkage. Some such tries are usual. If every fifth fails over a thousand steps, the pace is
/// below a tenth of what it was, and a hundred times as many steps are still to come, the state moves along a barrier:
/// that motion is an error of the steps, and no motion of the model.
class PaceWatch {
 public:
  /// end: of the run, s.
  explicit PaceWatch(double end) : end_(end) {}
  /// Before the first step, which begins at t.
  void begin_from(double t);
  /// After each step, which ended now; evaluations: how many there were so far, those between steps included. Failure
  /// (simulation_failed) where the run no longer gets on.
  void look(double now, std::size_t evaluations, const SolverOde&);
  /// Where the end is out of reach at the pace of the last 100 000 steps, since ten million times as many are still to
  /// come: a clause that tells it, without a full stop. After look(). A thousand steps tell it where 1e11 times as many
  /// are still to come: those of a large system take seconds. A million tell it where 1e5 times as many are. A hundred
  /// evaluations count as a step. touching: rows hold at times; where no time passes at all, their own watch tells
  /// which of them change without end.
  std::optional<std::string> out_of_reach(bool touching) const;

 private:
  struct Stretch {
    double begin = 0;
    std::size_t steps = 0;     ///< since then
    std::size_t failures = 0;  ///< before
  };
  double end_;
  double best_pace_ = 0;  ///< of any few steps after each other, s per step
  /// So many steps, and how many times as many still to come are too many.
  struct Reach {
    std::size_t steps;
    double most;
    Stretch stretch{};
    std::size_t evaluations = 0;  ///< before the stretch
    std::size_t made = 0;         ///< steps in the last such stretch
    double way = never;           ///< of it, s
  };
  Stretch few_, many_;
  std::array<Reach, 4> reaches_{Reach{1000, 1e11}, Reach{10000, 1e9}, Reach{100000, 1e7}, Reach{1000000, 1e5}};
  double now_ = 0;
};

}  // namespace polyform::host::watches
