// The samplers of signals: discrete-time blocks that take their inputs at multiples of their intervals.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/host/expressions/formula_force.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// The samplers of one element, and the values that its states start with by formulas. What the samplers hold stands
/// behind the states of signals, among the states of the element. Nothing allocates after construction.
class FormulaSamplers {
 public:
  explicit FormulaSamplers(const FormulaForce&);

  bool empty() const { return held_.empty(); }
  /// What the samplers hold in these states of the element, or at the start where there are none. Valid until the next
  /// call.
  std::span<const double> read(std::span<const double> states) noexcept;

  /// Event functions: one per interval, which changes its sign at each multiple of it. No step reaches beyond the next
  /// multiple but one.
  std::size_t clocks() const { return type_.intervals().size(); }
  void evaluate_events(double t, EventOutput&, std::size_t first) const noexcept;

  // inputs: of the formulas; states: of the element.

  /// At the event of a clock all samplers of intervals that end then take their inputs, from the values before: one
  /// that samples another gets its last value, in whatever order they stand. The first of these clocks does it for all.
  void take(std::size_t clock, double t, std::span<const double> inputs, std::span<double> states) noexcept;
  /// At the start all samplers take their first values.
  void take_first(std::span<const double> inputs, std::span<double> states) noexcept;
  /// Starts the states whose values at the start are formulas.
  void start_states(std::span<const double> inputs, std::span<double> states) noexcept;
  /// The rates with which what is held would follow the inputs within an interval; after read().
  void follow(std::span<const double> inputs, std::span<double> rates) noexcept;

 private:
  void run(std::span<const double> inputs) noexcept;

  const FormulaForce& type_;
  const Program& program_;  ///< of inputs of the samplers, their values at the start, and those of states
  std::vector<double> work_, held_;
};

}  // namespace polyform::host::inline expressions
