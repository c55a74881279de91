// Watches the event functions of all elements along a run: where they change their sign within a step, and how long the
// next step may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/integration/event_search.hpp"
#include "framework/integration/integration.hpp"
#include "framework/simulation/element_events.hpp"

namespace polyform::host::inline simulation {

class EventWatch final : private Signals {
 public:
  /// step: the run's, which gives the scale of time at t = 0. fixed_step: whether the integrator controls no errors.
  EventWatch(const SystemView&, Solver&, Integration&, double step, bool fixed_step);

  const ElementEvents& elements() const { return elements_; }
  /// Where it is, there is nothing to call but this.
  bool empty() const { return elements_.empty(); }
  /// At the integrator's time: before the first step, and after it began anew.
  void begin();
  /// The first event within the last step: the time shortly before it, s, up to which the step knows nothing of what
  /// begins there (a stage beyond may see a force that acts for the whole step).
  std::optional<double> find();
  /// After an event was found, the integrator begun anew before it, and one step of first_step() done across it: its
  /// element, and others that have an event in the same instant, change their discrete states in the solver. Whether
  /// they have changed any: then the integrator is to be begun anew with these.
  bool pass();
  /// After that.
  void begin_after_event();
  /// How long the next step may be, s; `never` without an event near.
  double longest_step() const;
  /// The first step after an event: far shorter than anything that begins there.
  double first_step() const;

  std::size_t count() const { return count_; }
  /// Event functions that changed their sign without end, and when first: each a sentence.
  std::vector<std::string> warnings() const;

 private:
  /// An event function that changes its sign again and again while no time passes (a sign that flips with each step, or
  /// one made of rounding) is left alone for a while, each time for twice as long: so every run goes on,
  /// or fails where the integration comes to a standstill all the same.
  struct Chatter {
    double last = -never;    ///< event
    std::size_t streak = 0;  ///< of events without time between
    double silent_from = -never, silent_until = -never, silence = 0, first_silent = never;
    std::size_t silent_steps = 0;
  };
  std::size_t size() const noexcept override { return elements_.size(); }
  double sample(double t, std::span<double> values, std::span<double> rates) override;
  bool counts(std::size_t k, bool rising) const noexcept override;
  void evaluate(double t, std::span<double> values, std::span<double> rates);
  double scale(double t) const;
  void note(const SignChange&);
  void settle();
  void check_standstill();

  Integration& integrator_;
  ElementEvents elements_;
  EventSearch search_;
  std::size_t states_;  ///< of the solver; an integrator may carry more numbers after them
  double step_, growth_;
  double guard_ = never;       ///< at the integrator's time
  double restarted_ = -never;  ///< the last event
  std::size_t count_ = 0;
  SignChange found_;  ///< the last, and to which sign
  bool rising_ = false;
  bool passed_ = false, changed_ = false;  ///< whether it has come to pass, and changed a discrete state
  std::vector<double> y_, other_values_, other_rates_;
  std::vector<double> values_before_;  ///< shortly before the event
  std::vector<double> settled_values_;  ///< after a discrete state has changed
  std::vector<Chatter> chatter_;
};

}  // namespace polyform::host::simulation
