// The limits of signals with an integral, such as the output of a PID: conditional integration in its exact form.
//
// While the output without limits is beyond a limit and the integral would push it further, the integral stays as it
// is. At the limit the law jumps: just beyond, the integral stays, just before, it grows. Where the rest of the output
// goes back more slowly than the integral would push, both lead to the limit. There the motion slides: the output stays
// at the limit and the integral is the one that keeps it there (Filippov's equivalent control), (limit - rest)/gain. So
// a limit has one of three modes, and what ends each mode is an event:
//
//   within   the output is beyond and pushed on:      beyond, or kept if it has just come there and the rest goes back
//   beyond   the push ends:                           within
//            the output comes back to the limit:      kept if the push is stronger than the rest goes back, else within
//   kept     the rest goes back no more:              beyond
//            the rest goes back faster than the push: within
//
// In the last two the integral becomes the one that keeps the output at the limit. How fast the rest goes back follows
// from the rates of what the formulas read, some of which are accelerations: the host finds these along the motion.
// Where the input jumps or bends, at a knot of time, a sample or another event, none of these functions passes zero:
// the modes are chosen anew then.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/expressions/formula_force.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// The numbers of a limit at one state, with the sign that is positive beyond it.
struct LimitNumbers {
  double beyond = 0;   ///< of the output without limits; 0 where the limit keeps it
  double push = 0;     ///< the rate that the integral would give it
  double without = 0;  ///< `beyond` without the integral
};

/// What a batch gives that has limits.
class LimitSource {
 public:
  static constexpr std::string_view interface_name = "polyform.host.limits";
  virtual std::size_t limit_count() const noexcept = 0;
  /// Whether an event function is one of the limits'.
  virtual bool is_of_limits(std::size_t event) const noexcept = 0;
  /// Whether rates are needed for the event functions, in these modes.
  virtual bool needs_rates(std::span<const std::int32_t> discrete) const noexcept = 0;
  /// What the formulas read, for its rates along the motion.
  virtual std::size_t input_count() const noexcept = 0;
  virtual void read_inputs(const EventInput&, std::span<double> inputs) noexcept = 0;
  /// Its rates at the state that is asked about next; NaN where nobody knows them.
  virtual void take_rates(std::span<const double> of_inputs) noexcept = 0;
  virtual void evaluate_limits(const EventInput&, std::span<LimitNumbers>) noexcept = 0;
  /// Where a limit keeps the output, gives the integral the value that it had right before a jump. before: what
  /// evaluate_limits() gave there.
  virtual void settle_integrals(std::span<const LimitNumbers> before, std::span<const std::int32_t> modes,
                                std::span<double> states) noexcept = 0;
  /// Chooses the modes at a state right behind what may be a jump, with the rates there. elapsed: the time since
  /// `before`, s.
  virtual void choose_modes(const EventInput&, std::span<const LimitNumbers> before, double elapsed,
                            std::span<std::int32_t> modes) noexcept = 0;

 protected:
  ~LimitSource() = default;
};

/// The limits of one element. Nothing allocates after construction.
class FormulaLimits {
 public:
  explicit FormulaLimits(const FormulaForce&);

  std::size_t count() const { return all_.size(); }
  /// Event functions of each limit.
  static constexpr std::size_t events = 4;
  void describe(std::size_t event, EventDescription& out) const noexcept;
  /// Computes the numbers of the limits from the inputs of the formulas, and how fast the rest of the outputs goes.
  void run(std::span<const double> inputs) noexcept;

  // Of the numbers that run() has computed:
  void evaluate_events(double t, std::span<const std::int32_t> modes, EventOutput&, std::size_t first) const noexcept;
  void evaluate(std::span<const std::int32_t> modes, std::span<LimitNumbers>) const noexcept;
  void modes_at_start(std::span<std::int32_t> modes) const noexcept;
  void pass(std::size_t event, bool rising, std::span<std::int32_t> modes) const noexcept;
  /// states: of all signals.
  void jump(std::size_t event, std::span<double> states) const noexcept;
  void choose(std::span<const LimitNumbers> before, double elapsed, std::span<std::int32_t> modes) const noexcept;

  void settle(std::span<const LimitNumbers> before, std::span<const std::int32_t> modes,
              std::span<double> states) const noexcept;
  bool any_kept(std::span<const std::int32_t> modes) const noexcept;
  void take_rates(std::span<const double> of_inputs) noexcept;

 private:
  enum Event : std::size_t { limit, push, stop, leave };
  double beyond(std::size_t k) const noexcept;
  double pushed(std::size_t k) const noexcept;
  double rest(std::size_t k) const noexcept;
  /// How near to the limit is at it.
  double at_limit(std::size_t k) const noexcept;
  LimitMode mode_here(std::size_t k) const noexcept;
  bool has_jumped(std::size_t k, const LimitNumbers& before, double elapsed) const noexcept;

  const std::vector<FormulaLimit>& all_;
  const Program& program_;
  std::vector<double> work_, input_rates_;
  std::vector<Jet> jets_;      ///< the registers with their rates along the motion
  std::vector<double> rates_;  ///< of the outputs without their integrals, NaN where they are unknown
  bool knows_rates_ = false;
};

}  // namespace polyform::host::inline expressions
