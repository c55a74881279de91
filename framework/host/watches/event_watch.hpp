// Watches the event functions of all elements along a run: where they change their sign within a step, and how long the
// next step may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/host/expressions/poles.hpp"
#include "framework/host/integration/event_search.hpp"
#include "framework/host/integration/integration.hpp"
#include "framework/host/watches/element_events.hpp"
#include "framework/host/watches/hypotenuse_legs.hpp"
#include "framework/host/watches/law_limits.hpp"

namespace polyform::host::inline watches {

/// Its members belong to one step of the run and the event in it: values before and after, times, and what events did.
class EventWatch final : private Signals {
 public:
  /// step: the run's, which gives the scale of time at t = 0. fixed_step: whether the integrator controls no errors.
  EventWatch(const SystemView&, Solver&, Integration&, double step, bool fixed_step);

  const ElementEvents& elements() const { return elements_; }
  /// When it is empty, no other function needs to be called.
  bool empty() const { return elements_.empty(); }
  /// Evaluates the events at the integrator's time. To be called before the first step and after each new beginning.
  void begin();
  /// After begin(): tells that what moves begins here, or goes on behind a jump. An event function that is zero within
  /// rounding and goes to the sign that zero has then changes it no more: what begins behind it begins without an
  /// event, and the steps behind it grow as behind one.
  void note_beginning() { first_steps_ = 2; }
  /// The first event within the last step, or nothing. What is returned is a time shortly before it, s: the step must
  /// end there, because a stage beyond the event would see a force that begins with it.
  std::optional<double> find();
  /// Whether an event comes within the time that is passed at an event, so that no step leads there: it is taken for
  /// the one that was found, at the integrator's time.
  bool is_due();
  /// Where the last step has to end when it is made once more, because its states before that event may have felt what
  /// lies behind, s: stages of a step without error control lie there, or evaluations of the interpolation. Nothing
  /// where the step is good, or too short to matter.
  std::optional<double> nearer_end(double event) const;
  /// Whether the event is the top of a narrow peak, where nothing happens.
  bool found_peak() const;
  /// Whether the element of that event has limits.
  bool found_beside_limits() const { return elements_.is_beside_limits(found_.function); }
  /// The time at which the function of that event has its new sign, s.
  double found_at() const { return found_.time; }
  /// Lets the element of the event that was found change its states, and others that have an
  /// event in the same instant. Before the call the integrator has begun anew behind the event, first_step() after the
  /// time that find() gave. When the function returns true, a state has changed and the integrator has to
  /// begin anew once more.
  bool pass();
  /// At the start of a run from a row of results, which shows the state before what is due at its time: lets the
  /// elements answer to events whose functions have just changed their sign there, as far as rounding tells. To be
  /// called after begin(); what it returns is that of pass().
  bool pass_what_is_due();
  /// At the end of a step in which nothing was found: tells elements of it that want to know. When the function returns
  /// true, a state has changed and the integrator has to begin anew.
  bool end_step();
  /// The state vector after pass() or end_step() has returned true: that of the integrator, with the states that have
  /// jumped.
  std::span<const double> state() const { return y_; }
  /// Goes on after pass(), and after the new beginning that it may have asked for.
  void begin_after_event();
  /// Where something may jump or bend without an event of an element: at a time before, and at the integrator's time
  /// behind it. What the second returns is that of pass(); begin() comes next.
  void note_limits(double t);
  bool choose_limits();
  /// How long the next step may be, s; `never` if no event is near.
  double longest_step();
  /// The element whose guard bounds steps to about the last one's length, for messages; "" where none does.
  std::string held_by_guard() const;
  /// How far from an event the way across it may begin and end where formulas have no values nearer by, s.
  double widest_crossing() const;
  /// The first step after an event: far shorter than anything that begins there.
  double first_step() const;

  std::size_t count() const { return count_; }
  /// A sentence for each event function that changed its sign without end, with the time when that began, and what
  /// LawLimits tells.
  std::vector<std::string> warnings() const;

 private:
  // A part of the time: an event is located so well. Rounding of the time itself is some 1e-16.
  static constexpr double located = 1e-13;
  // Where a function goes away from zero, the step may be this multiple of the time that it took to come from there at
  // its rate: such a bound costs next to nothing, and it keeps what turns from turning many times in one step.
  static constexpr double receding = 8;

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
  double step_at_beginning();
  double find_rates(double t, std::span<double> values, std::span<double> rates);
  bool counts(std::size_t k, bool rising) const noexcept override;
  void evaluate(double t, std::span<double> values, std::span<double> rates);
  double scale(double t) const;
  void note(const SignChange&);
  void take(const SignChange&);
  void settle();
  std::span<const double> choose_limits_after_events();
  void check_standstill();
  bool shows_pole(std::size_t k) const;
  std::optional<SignChange> find_counted(double t);
  void check_poles_beside(const SignChange&);
  std::optional<std::size_t> another_at(const SignChange&);
  double size_of_pole(std::size_t k, double t);
  void check_pole(std::size_t k, double t);
  void check_pole_of_clock(std::size_t k);
  bool find_state(double t);
  bool is_beside_pole(double way) const;
  double step_to_pole(double way, double share_of_way) const;
  void refuse_pole(std::size_t k, double t, const SizesAtPole&) const;

  Integration& integrator_;
  ElementEvents elements_;
  LawLimits laws_;
  HypotenuseLegs legs_;
  EventSearch search_;
  std::size_t states_;  ///< of the solver; an integrator may carry more numbers after them
  double step_;
  /// How steps grow after an event, and which share of the way to one they make; see the constants.
  struct Pace {
    double growth, approach;
  };
  Pace pace_;
  double guard_ = never;       ///< at the integrator's time
  double restarted_ = -never;  ///< the last event, or a beginning at one
  int first_steps_ = 0;        ///< to come since note_beginning(): two, where one has to tell rates
  std::size_t count_ = 0;
  SignChange found_;  ///< the last event, and the sign that its function has changed to
  bool rising_ = false;
  bool passed_ = false, changed_ = false;  ///< whether the event has happened, and whether it changed a state
  std::vector<double> y_, other_y_, other_values_, other_rates_;
  std::vector<double> values_before_;   ///< shortly before the event
  std::vector<double> last_values_;     ///< before a new beginning
  std::vector<double> settled_values_;  ///< after a discrete state has changed
  std::vector<Chatter> chatter_;
  std::vector<char> beside_pole_;  ///< of a function that is approached: a divisor is zero there
  /// The function that last limited a step by its way to zero, its value then, and how much longer the next such step
  /// may be while the value stays.
  struct Stuck {
    std::size_t function = static_cast<std::size_t>(-1);
    double value = 0, factor = 1;
  };
  Stuck stuck_;
};

}  // namespace polyform::host::watches
