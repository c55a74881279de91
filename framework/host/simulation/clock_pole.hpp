// Poles of formulas of time: a run ends before the first one.
#pragma once

#include "framework/host/expressions/formula.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline simulation {

/// The first time at which a formula of time in a field or in a joint that moves by the clock has no bound. Integrators
/// with fixed steps would step over it.
class ClockPole {
 public:
  /// Looks from 0 to `until`, s.
  ClockPole(const SystemView&, double until);
  /// Where steps have to end at the latest, s; `never` where there is no pole.
  double end_of_steps() const;
  /// Failure (simulation_failed), with the formula as its cause, where now is that end.
  void check(double now) const;

 private:
  void look(const TimeFunction&, double until);

  double time_ = never;
  const TimeFormula* formula_ = nullptr;
};

}  // namespace polyform::host::inline simulation
