// Where the integrator of a run has to stop: at knots of the clock, at events of elements, where bodies touch or part.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/simulation/motion_jumps.hpp"
#include "framework/host/simulation/run_motion.hpp"
#include "framework/host/unilateral/unilateral_watch.hpp"
#include "framework/host/watches/clock_pole.hpp"
#include "framework/host/watches/energy_watch.hpp"
#include "framework/host/watches/event_watch.hpp"
#include "framework/host/watches/knots.hpp"

namespace polyform::host::inline simulation {

/// Bounds each step, and finds what happened in it. The run makes the step in between, and writes the rows that lie
/// before what happened.
/// Its functions are many because the run asks for each kind of stop by itself: knots, events and touches. Its members
/// are the searches for these and what they have found in one step.
class RunStops {
 public:
  enum class Found { nothing, touch, event, step_again };

  /// The arguments outlive the object.
  RunStops(const SystemView&, Solver&, RunMotion&, const RunSettings&);

  /// Sources of event functions and schedules.
  std::span<const ElementEvents::Source> sources() const { return events_.elements().sources(); }
  /// To be called at the integrator's time t, before the first step of a run. What is due at t > 0 is still to come: a
  /// row of results, from which such a run may start, shows the state before it. Events of that kind come with
  /// pass_what_is_due(), behind the first row.
  void begin(double t);
  void pass_what_is_due(double t);
  /// The same if the run goes on at t, where all that was due has happened.
  void begin_from(double t);
  /// To be called at the integrator's time, after the forces or rows have changed.
  void renew();
  /// The time at which the next step has to end at the latest, s; the time of the motion if a knot is due now.
  double plan();
  /// Whether the integrator stands at the knot that plan() saw: pass_knot() comes next.
  bool is_at_knot() const { return motion_.time() >= end_; }
  /// Whether it stands so shortly before an event that no step leads there: pass_event() comes next.
  bool is_at_event();
  /// Keeps the state before a step up to limit, if the knot needs it.
  void before_step(double limit);

  /// Finds what the last step met first. step_again: the step is undone and has to be made again, to a nearer end.
  Found find();
  /// The time of the event or touch that was found, s. Rows up to there are due before it is passed.
  double found_at() const { return found_at_; }
  /// The instant of the event or touch, not before found_at(), s: a row of that instant shows the state before it.
  double due_before() const { return due_before_; }
  /// Gives the change of the energy balance there that no impact took.
  EnergyJump pass_touch();
  /// Carries the state across the event that was found, and lets its element change its states.
  void pass_event();
  /// The event whose element has ended the run, by name; "" while none has.
  const std::string& ended_by() const { return events_.elements().ended_by(); }
  void pass_knot();
  /// To be called after the rows of a step in which nothing happened.
  void end_step();

  /// After find(): whether the last step began or ended at a narrow peak or at a knot.
  bool saw_peak() const { return saw_peak_; }
  /// What bounds steps by a guard, for messages; "" where nothing does.
  std::string held_by_guard() const { return events_.empty() ? std::string() : events_.held_by_guard(); }

  /// Whether what constraints prescribe has jumped.
  bool motion_jumped() const { return jumps_.any(); }
  std::size_t knots_passed() const { return knots_passed_; }
  std::size_t events_passed() const { return events_.count() + touches_.count(); }
  std::vector<std::string> warnings() const;

 private:
  void step_again_until(double end);
  void begin_searches();
  /// The same behind a jump that is no event of an element.
  void begin_behind_jump();
  void renew_touches();
  void carry_across(double knot);
  /// Whether anything may move as time says.
  bool is_driven() const { return has_clocks_ || knots_passed_ > 0 || knot_.time < end_of_run_; }
  /// The balance of energy at the state of the motion, J; 0 where it is not watched.
  double energy_at(double t);
  void pass_jump();

  RunMotion& motion_;
  const double start_of_run_, end_of_run_;
  Knots knots_;
  ClockPole pole_;
  EventWatch events_;
  UnilateralWatch touches_;
  std::optional<EnergyWatch> energy_;  ///< at touches, where the integrator controls its errors
  MotionJumps jumps_;
  const bool has_clocks_;           ///< the state contains the time
  Knot knot_;                       ///< the next
  double end_ = never;              ///< of the step before it, s
  std::vector<double> step_start_;  ///< the state before a step that may end at an abrupt knot
  double found_at_ = never, due_before_ = never;
  double step_again_until_ = -1;  ///< a step that was undone ends there, s
  std::size_t knots_passed_ = 0;
  bool saw_peak_ = false;          ///< the last step
  std::size_t steps_at_peak_ = 0;  ///< so many of the next steps end or begin at a peak
};

}  // namespace polyform::host::inline simulation
