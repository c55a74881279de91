// Whether the steps of an integrator without error control are short enough.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/integration/integration.hpp"

namespace polyform::host::inline watches {

/// Now and then a step is repeated as two of half its size. The difference, per state and relative to how far that
/// state moves in the run, is the error of the step. The errors of all steps together are the error of the run, if the
/// motion itself neither magnifies nor dampens them.
/// Its members are the integrator that makes the halves, the sums over the steps seen, and when to look next.
class StepCheck {
 public:
  /// expected: steps of the whole run.
  StepCheck(Ode&, const IntegratorChoice&, const StepSettings&, double expected);

  /// Whether the step that comes after so many others is one to look at. Those that are lie evenly over the run, and a
  /// few soon after the start.
  bool due(std::size_t steps) const;
  /// Repeats the integrator's last step, the one after so many, which stands for all since the last look. Nothing is
  /// learned where the halves fail.
  void look(Integration&, std::size_t steps);
  /// Repeats the integrator's last step, which stands for itself alone: one that begins or ends at a narrow peak. A few
  /// hundred are looked at, and later one in some steps.
  void look_at_peak(Integration&, std::size_t steps);
  /// To be called after each step: looks at it as at a peak if a state goes on from it quite differently than it went
  /// before, as beside a peak along the motion, of which no clock tells. Fewer of these are looked at.
  void look_at_bend(Integration&, std::size_t steps);
  /// Takes a state that the run has come through into the ways of the states, where not all steps are shown.
  void see(std::span<const double> state);
  std::size_t evaluations() const { return evaluations_; }
  /// A sentence when the errors of all steps add up to more than one still sees, and to more than the absolute
  /// tolerance.
  std::optional<std::string> warning(std::size_t steps) const;

 private:
  bool repeat(Integration&);
  bool bends(Integration&);

  double step_, least_error_;
  std::size_t every_, looked_ = 0, last_ = 0, peaks_ = 0, bends_ = 0, evaluations_ = 0;
  Integration halves_;
  /// Per state; error_: the sum over the steps; at_peaks_: over those that stand for themselves.
  std::vector<double> start_, least_, most_, error_, at_peaks_;
  double last_time_ = 0;
  std::vector<double> last_state_, last_rate_;  ///< of the step before; empty before the first
};

}  // namespace polyform::host::watches
