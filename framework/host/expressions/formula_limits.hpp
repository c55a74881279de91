// The limits of signals with an integral, such as the output of a PID: conditional integration in its exact form.
//
// While the output without limits is beyond a limit and the integral would push it further, the integral stays as it is.
// At the limit the law jumps: just beyond, the integral stays, just before, it grows. Where the rest of the output goes
// back more slowly than the integral would push, both lead to the limit. There the motion slides: the output stays at
// the limit and the integral is the one that keeps it there (Filippov's equivalent control), (limit - rest)/gain. So
// a limit has one of three modes, and what ends each mode is an event:
//
//   within   the output passes the limit, pushed on:  beyond, or kept if the rest goes back
//            it is beyond and begins to be pushed on: beyond
//   beyond   the push ends:                           within
//            the output comes back to the limit:      kept if the push is stronger than the rest goes back, else within
//   kept     the rest goes back no more:              beyond
//            the rest goes back faster than the push: within
//
// In the last two the integral becomes the one that keeps the output at the limit. How fast the rest goes back depends
// on accelerations: the host takes it from states shortly before and after, along the motion.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/expressions/formula_force.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// What a batch gives that has limits.
class LimitSource {
 public:
  static constexpr std::string_view interface_name = "polyform.host.limits";
  virtual std::size_t limit_count() const noexcept = 0;
  /// Whether rates are needed for the event functions, in these modes.
  virtual bool needs_rates(std::span<const std::int32_t> discrete) const noexcept = 0;
  /// How far each output is beyond its limit without its integral.
  virtual void evaluate_limits(const EventInput&, std::span<double> without) noexcept = 0;
  /// The rates of these numbers along the motion, at the state that is asked about next; NaN where nobody knows them.
  virtual void take_rates(std::span<const double> rates) noexcept = 0;

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
  /// Computes the numbers of the limits from the inputs of the formulas.
  void run(std::span<const double> inputs) noexcept;

  // Of the numbers that run() has computed:
  void evaluate_events(std::span<const std::int32_t> modes, EventOutput& out, std::size_t first) const noexcept;
  void without(std::span<double> out) const noexcept;
  void modes_at_start(std::span<std::int32_t> modes) const noexcept;
  void pass(std::size_t event, bool rising, std::span<std::int32_t> modes) const noexcept;
  /// states: of all signals.
  void jump(std::size_t event, std::span<double> states) const noexcept;

  bool any_kept(std::span<const std::int32_t> modes) const noexcept;
  void take_rates(std::span<const double> rates) noexcept;

 private:
  enum Event : std::size_t { limit, push, stop, leave };
  double number(std::size_t of, std::size_t which) const noexcept;

  const std::vector<FormulaLimit>& all_;
  const Program& program_;
  std::vector<double> work_, rates_;
};

}  // namespace polyform::host::inline expressions
