// What the steps of a run take.
#pragma once

#include <chrono>

#include "framework/host/integration/integration.hpp"

namespace polyform::host::inline simulation {

class RunClock {
 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

 public:
  /// Lasts as long as one step of the integrator.
  class Step {
   public:
    Step(RunClock& clock, const Integration& integrator)
        : clock_(clock), integrator_(integrator), evaluations_(integrator.statistics().evaluations) {
      if (clock.times_steps_) start_ = Clock::now();
    }
    ~Step() {
      if (!clock_.times_steps_) return;
      clock_.stepping_ += seconds_since(start_);
      clock_.evaluations_ += integrator_.statistics().evaluations - evaluations_;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    RunClock& clock_;
    const Integration& integrator_;
    const std::size_t evaluations_;
    Clock::time_point start_;
  };

  void start() { start_ = Clock::now(); }
  /// For steps that others share, so that their time is not that of this run. Reading the clock costs as much as a step
  /// of a small system in lanes.
  void leave_steps_untimed() { times_steps_ = false; }
  /// Since start().
  double seconds() const { return seconds_since(start_); }
  /// The mean over the steps so far; 0 before the first, and where they are not timed. Evaluations between steps, for
  /// rows and events, do not count.
  double seconds_per_evaluation() const { return evaluations_ > 0 ? stepping_ / static_cast<double>(evaluations_) : 0; }

 private:
  Clock::time_point start_;
  double stepping_ = 0;          ///< time spent in steps, s
  std::size_t evaluations_ = 0;  ///< in them
  bool times_steps_ = true;
};

}  // namespace polyform::host::inline simulation
