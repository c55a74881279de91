// Looks at the steps of a run: whether they are short enough, whether they get on, and near which positions they pass.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/simulation/run_motion.hpp"
#include "framework/host/watches/element_events.hpp"
#include "framework/host/watches/pace_watch.hpp"
#include "framework/host/watches/singular_watch.hpp"
#include "framework/host/watches/stability_watch.hpp"
#include "framework/host/watches/step_check.hpp"
#include "framework/host/watches/time_scales.hpp"

namespace polyform::host::inline simulation {

class RunWatches {
 public:
  /// sources: elements that may declare their shortest times. All outlive the object.
  RunWatches(const SystemView&, Solver&, RunMotion&, const RunSettings&, const StepSettings&,
             std::span<const ElementEvents::Source> sources);

  /// The longest step that the shortest declared time allows, s.
  double longest_allowed_step() const { return longest_allowed_; }
  /// Before the first step, which begins at t.
  void begin_from(double t) {
    pace_.begin_from(t);
    stability_.begin_from(t);
  }
  /// Before a step at whose beginning forces or velocities jump.
  void begin_anew();
  /// After each step. Failure (simulation_failed) where the run no longer gets on, or where a plugin has changed how
  /// numbers are computed. held_by: tells what bounds steps by a guard, see RunStops.
  void look(const std::function<std::string()>& held_by);
  /// After each step; narrow: it begins or ends at a narrow peak or a knot. Whether it was short enough.
  void look_at_peak(bool narrow);
  /// The longest step so far, s.
  double longest_step() const { return longest_; }
  /// Evaluations of the derivative that the watches made.
  std::size_t evaluations() const { return check_ ? check_->evaluations() : 0; }
  /// What held explicit steps down by stability: see StabilityWatch::held().
  std::string held() const { return stability_.held(); }
  /// moved: the energy that takes part in the motion, J; steps: how many the run made.
  std::vector<std::string> warnings(double moved, std::size_t steps) const;
  /// Whether these tell why energy is lost or won.
  bool explain_energy(double moved, std::size_t steps) const;

  /// Why steps without error control could not follow the motion that begins with y at t: StabilityWatch::too_long().
  std::string step_too_long(double t, std::span<const double> y) {
    return fixed_step_ ? stability_.too_long(longest_, t, y) : std::string();
  }
  /// What steps that an implicit method chooses may pass over of the motion that begins with y at t:
  /// StabilityWatch::energy_of_transient(); 0 of other methods.
  double energy_of_transient(Solver& solver, ObservationStore& store, double t, std::span<const double> y) {
    if (fixed_step_ || !motion_.integrator().follows_stiffness()) return 0;
    return stability_.energy_of_transient(solver, store, longest_, t, y);
  }
  /// The element of the fastest motion at the present state, such as "constraint `row`"; empty if it is not known.
  std::string fastest_element() { return stability_.fastest_element(); }
  /// Whether the integrator controls no errors.
  bool fixed_step() const { return fixed_step_; }

 private:
  /// Repeats steps of an integrator without error control, with equations of its own.
  struct Repeated {
    Repeated(const SystemView& view, Solver& solver, RunMotion& motion)
        : equations(solver, view), driven(equations, motion.touching(), motion.stepped()) {}
    SolverOde equations;
    UnilateralOde driven;
  };

  bool beside_singular() const;

  RunMotion& motion_;
  const bool fixed_step_;
  std::optional<SingularWatch> singular_;  ///< of loops, where there are any
  PaceWatch pace_;
  StabilityWatch stability_;
  TimeScales scales_;
  Repeated repeated_;
  std::optional<StepCheck> check_;
  double longest_ = 0, longest_allowed_ = never;
  const unsigned arithmetic_;  ///< how numbers were computed at the start
};

}  // namespace polyform::host::inline simulation
