// Poles of formulas of time: a run ends before the first one.
#pragma once

#include "framework/host/expressions/formula.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline watches {

/// The first time at which a formula of time in a field, or in a joint that depends on time, has no bound. Integrators
/// with fixed steps would step over it.
class ClockPole {
 public:
  /// Looks from one time to the other, s.
  ClockPole(const SystemView&, double from, double until);
  /// The latest time at which steps have to end, s; `never` if there is no pole.
  double end_of_steps() const;
  /// Failure (simulation_failed), with the formula as its cause, if now is that end.
  void check(double now) const;

 private:
  void look(const TimeFunction&, double from, double until);

  double time_ = never;
  const TimeFormula* formula_ = nullptr;
};

}  // namespace polyform::host::inline watches
