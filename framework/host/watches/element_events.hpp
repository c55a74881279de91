// The events of all elements of a system, evaluated from the state vector of any solver.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/host/expressions/formula_limits.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/law_validity.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/contract/step_endings.hpp"
#include "polyform/mechanics/attachments.hpp"

namespace polyform::host::inline watches {

/// Own batches of those elements that have events. Solver::decode gives the canonical state, and the motions of bodies
/// and attachments follow from it. So every formulation has events without any work on them. Nothing allocates after
/// construction. Its functions are many because the watch, the knots and the run each ask it for other things.
class ElementEvents {
 public:
  /// Failure (simulation_failed) when memory runs out.
  ElementEvents(const SystemView&, Solver&);
  ~ElementEvents();  // where Motion is known
  ElementEvents(const ElementEvents&) = delete;
  ElementEvents& operator=(const ElementEvents&) = delete;

  /// The number of event functions.
  std::size_t size() const { return descriptions_.size(); }
  /// Whether no element tells an event or a guard, so that nothing needs to be evaluated.
  bool empty() const { return batches_.empty(); }
  /// Element and event, for messages: "`a` (contact)".
  std::string name_of(std::size_t event) const;
  /// Per event function a number below size(): functions of one type and name, whose values compare, have the same
  /// number.
  std::vector<std::size_t> kinds() const;
  Crossing crossing(std::size_t event) const { return descriptions_[event].crossing; }
  /// Whether a change of the function's sign is an event. Other functions bound steps, or show a pole.
  bool is_event(std::size_t event) const { return crossing(event) <= Crossing::rising; }
  /// For a function whose crossing is `passed`: how long a step may be where it has a value and a rate, s.
  double longest_step(std::size_t event, double value, double rate) const;
  /// Of a function that shows a pole: that of the hypotenuse of which it is a leg, if it is one.
  std::optional<std::size_t> hypotenuse_of(std::size_t event) const;
  /// For a function that shows a pole: PoleSource::size_at_pole() and note_pole().
  double size_at_pole(std::size_t event) const;
  void note_pole(std::size_t event, double t) const;

  /// Values and rates (NaN if the element gives none) at a state, and the guard. Failure (simulation_failed) when
  /// the solver cannot decode the state.
  double evaluate(double t, std::span<const double> y, std::span<double> values, std::span<double> rates);
  /// The same at a canonical state, without a solver.
  double evaluate(double t, const ConstStateView&, std::span<double> values, std::span<double> rates);
  /// Whether any of the elements has a state that may change at its events, or may end the run there.
  bool has_changes() const;
  /// The event by which an element has ended the run, as name_of(); "" while there is none.
  const std::string& ended_by() const { return ended_by_; }
  void forget_end() { ended_by_.clear(); }  ///< for a motion that is set back
  /// Lets an element answer to its event: it may change its discrete state, which the solver then has, and first-order
  /// states, which store() puts into the state vector. The state that was evaluated last is the one at which the event
  /// function has just changed its sign, and it stands in the solver too. Returns whether anything was changed.
  bool pass(std::size_t event, bool rising);
  /// Whether an element is told of each accepted step.
  bool ends_steps() const;
  /// Tells the elements that the state that was evaluated last is the end of an accepted step. Returns whether states
  /// have changed, which store() puts into the state vector.
  bool end_step();
  /// Whether there are limits of signals. Behind anything that may jump or bend what they read, their modes are chosen
  /// anew: note_limits() at a state right before it, and choose_limits() behind it, each at the state that was
  /// evaluated last. The latter returns whether anything was changed, as pass().
  bool has_limits() const {
    return std::ranges::any_of(batches_, [](const Batch& b) { return b.limits != nullptr; });
  }
  void note_limits();
  bool choose_limits();
  /// Whether a limit makes this event, in which nothing jumps or bends but its own output.
  bool is_of_limits(std::size_t event) const;
  /// Whether the element that makes this event has limits.
  bool is_beside_limits(std::size_t event) const;
  /// Puts first-order states that have jumped since the last evaluation into y, the state vector of that evaluation.
  void store(std::span<double> y);
  /// What gave the guard at the last evaluation, for messages: "`a` (contact)"; "" where nothing bounds the step.
  std::string guarding() const;
  /// The largest angular velocity at the state that was evaluated last, rad/s, among the bodies that events are
  /// attached to and the bodies between these and ground.
  double turning() const;

  /// A batch that tells schedules or shortest times, with the names of its instances.
  struct Source {
    EventSource* events;
    std::string_view type;
    std::span<const std::string_view> names;
  };
  std::span<const Source> sources() const { return sources_; }
  /// What tells how far the law of a source holds at the state that was evaluated last. Lives as long as this object.
  struct LawSource {
    const LawValidity* validity;
    Source source;
    Strided<const Marker> markers;
  };
  std::vector<LawSource> law_sources() const;

 private:
  /// The elements of one type that have events. Its members are the batch, the interfaces that it offers, and the
  /// places of its values among those of all elements.
  struct Batch {
    std::unique_ptr<Attachments> attached;
    std::span<const JointIndex> joints;
    EventSource* events;
    std::size_t first, count;                                                         ///< event functions
    std::size_t states = 0, state_count = 0, u = 0, u_count = 0, x = 0, x_count = 0;  ///< first-order states, among all
    std::size_t discrete, discrete_count;                ///< among the discrete states of the elements
    DiscreteElement* element;                            ///< nullptr if it has none
    StateJumps* jumps;                                   ///< nullptr if it has none
    RunEnding* ending;                                   ///< nullptr if it has none
    StepEndings* step_endings;                           ///< nullptr if it has none
    LimitSource* limits;                                 ///< nullptr if it has none
    LawValidity* validity;                               ///< nullptr if it has none
    double noted_at = 0;                                 ///< when note_limits() was called, s
    std::vector<LimitNumbers> noted{};                   ///< what it found
    std::vector<double> inputs_before{}, input_rates{};  ///< room for the rates of what limits read
    std::unique_ptr<void, void (*)(void*)> object;       ///< the batch
  };
  struct Description {
    std::string element, event;
    std::size_t batch;
    Crossing crossing;
  };
  const Batch& batch_of(std::size_t event) const { return batches_[descriptions_[event].batch]; }
  std::size_t place_in_batch(std::size_t event) const { return event - batch_of(event).first; }
  ForceInput attachments_of(const Batch&) const;
  EventInput input_of(const Batch&, const ForceInput& attachments) const;
  bool pass_discrete(const Batch&, std::size_t event, bool rising, const ForceInput& attachments);
  bool jump_states(const Batch&, std::size_t event, bool rising, const ForceInput& attachments);
  bool set_discrete(const Batch&, std::span<const std::int32_t> values, const std::string& whose);
  bool take_jumped(const Batch&, std::span<const double> states, const std::string& whose);
  /// Gives limits the rates of what they read, at the state that was evaluated last.
  void find_rates_at_limits(Batch&);
  bool settle_integrals(Batch&);
  bool choose_limits(Batch&);
  void stand_at_y(const Batch&);
  void encode(std::span<double> y);
  double evaluate_here(double t, std::span<double> values, std::span<double> rates);
  template <class Group>
  void add(const SystemView&, const Group&);
  void find_carriers(const SystemView&);

  Solver& solver_;
  std::vector<Batch> batches_;
  std::vector<Source> sources_;  ///< of the batches, then the clocks
  std::vector<Source> clocks_;   ///< batches that tell nothing but times
  std::vector<std::unique_ptr<void, void (*)(void*)>> clock_batches_;
  std::vector<Description> descriptions_;
  std::vector<std::size_t> carriers_;  ///< bodies between ground and the bodies to which event functions are attached
  struct Motion;
  std::unique_ptr<Motion> motion_;
  double time_ = 0;                         ///< of the state that was evaluated last
  std::size_t guarding_ = 0;                ///< the source of the guard then; sources_.size(): none
  std::vector<std::int32_t> all_discrete_;  ///< room for the values of the solver
  std::vector<double> jumped_;              ///< room for the states of a batch
  std::vector<double> y_, ydot_, moved_;    ///< where there are limits: the state vector that was evaluated last; room
  bool has_jumped_ = false;                 ///< whether states of the last evaluation differ from its state vector
  std::string ended_by_;
};

}  // namespace polyform::host::watches
