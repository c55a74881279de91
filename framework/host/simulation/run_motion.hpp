// The motion of a run: the equations of its solver with the rows that hold at times, and the integrator of both.
#pragma once

#include <span>
#include <vector>

#include "framework/host/evaluation/run_state.hpp"
#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/simulation/run_record.hpp"
#include "framework/host/unilateral/stepped_contacts.hpp"
#include "framework/host/unilateral/unilateral_ode.hpp"

namespace polyform::host::inline simulation {

/// The parts of a run pass its state vector y() to each other; each part first says at which time the state is wanted.
/// Functions that compute throw Failure (simulation_failed).
class RunMotion {
 public:
  /// View, start and solver outlive the object. t: the time of the start, s.
  RunMotion(const SystemView&, double t, const ConstStateView& start, Solver&, const IntegratorChoice&,
            const StepSettings&);

  /// Gives the state of the system at time t to the solver and to the integrator.
  void begin(double t, const ConstStateView& start);
  /// The same with the state of another run of the same model. Fails also if the model has rows that hold at times.
  void begin_from(const RunState&);
  bool begun() const { return begun_; }
  /// Copies y() and the discrete state as those at t.
  void keep(double t, RunState& out) const;
  /// Makes y() the state at t, which lies within the last step.
  void stand_at(double t);
  /// Removes the drift from y(), a state at t.
  void correct(double t);
  /// Lets the integrator begin anew at t, within the last step, from the corrected state there.
  void begin_anew(double t, double first_step);
  /// The same with y() as it is.
  void begin_anew_from_state(double t, double first_step);
  /// Lets the integrator go on at t from y() as it is, not corrected.
  void restart(double t, double first_step) { integrator_.restart(t, y_, first_step); }
  /// The way across an event, s: from shortly before it, by its time, to `end`, which lies at `limit` at most; from the
  /// beginning to the event and from there to the end it is no longer than `widest`.
  struct Crossing {
    double begin, event, end, limit, widest;
    bool as_seen;  ///< whether the event happens in the very state in which it was seen
  };
  /// Goes across an event, with the rates before and after it. The way is far shorter than anything that begins there.
  /// The error of such a step cannot be controlled, because a jump may be of any size. Where a formula is rounding or
  /// has no value, as a quotient of two that are zero, the way is made wider, up to where it has one on either side.
  /// The integrator then begins anew, at `end` or behind it.
  void cross(const Crossing&, double first_step);
  /// Makes one step, to t_limit at most.
  void step(double t_limit);
  /// Throws Failure (simulation_failed) with the integrator's last reason.
  [[noreturn]] void fail() const;

  /// The solver's states, then the work since the start if the system may do work.
  std::span<double> y() { return y_; }
  /// The part that belongs to the solver.
  std::span<double> solver_states() { return std::span(y_).first(states_); }
  std::size_t states() const { return states_; }
  /// ∫ P dt since the start, J; 0 if nothing does work.
  double work() const { return y_.size() > states_ ? y_.back() : 0; }
  /// Adds work that was done in no time to that in y(), J.
  void add_work(double work) {
    if (y_.size() > states_) y_.back() += work;
  }

  double time() const { return integrator_.time(); }
  Integration& integrator() { return integrator_; }
  const Integration& integrator() const { return integrator_; }
  /// Empty where the integrator carries the rows in its steps: then they are `stepped`.
  UnilateralMotion& touching() { return touching_; }
  SteppedContacts& stepped() { return stepped_; }
  /// What contacts did.
  const UnilateralTally& tally() const { return stepped_.empty() ? touching_.tally() : stepped_.tally(); }
  /// The solver's equations without the rows that hold at times.
  SolverOde& equations() { return equations_; }

 private:
  bool find_rates(double t, std::span<double> y, std::span<double> rates);
  double begin_with_rates(const Crossing&);
  void go_to_event(const Crossing&);
  void go_on(double length);

  Solver& solver_;
  SolverOde equations_;
  UnilateralMotion touching_;
  SteppedContacts stepped_;
  UnilateralOde driven_;
  Integration integrator_;
  const std::size_t states_;
  std::vector<double> y_;
  /// Room for the rates at an event, for the state behind it, and for one without forces of contacts.
  std::vector<double> rates_, moved_rates_, ahead_, without_contacts_;
  bool begun_ = false;
};

}  // namespace polyform::host::inline simulation
