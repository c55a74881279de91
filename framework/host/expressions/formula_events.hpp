// Event functions that follow from formulas alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "framework/host/expressions/formula_programs.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// The event functions of an element's formulas, in this order: poles, switches, peaks, arguments of tables,
/// hypotenuses. Each kind has a program and the registers for it, in which its constants stand. Nothing allocates after
/// construction.
class FormulaEvents {
 public:
  explicit FormulaEvents(const FormulaPrograms&);

  std::size_t count() const { return first_hypotenuse() + programs_.poles.hypotenuses.roots(); }
  void describe(std::size_t event, EventDescription& out) const noexcept;
  /// inputs: of the formulas; input_rates: along the motion, NaN where they are accelerations. Gives the first count()
  /// values and rates. A rate is NaN where it needs accelerations: the host takes a difference.
  void evaluate(std::span<const double> inputs, std::span<const double> input_rates, EventOutput&) noexcept;
  /// The event function that is the hypotenuse of which the pole of this index is a leg; none if it is no leg.
  std::optional<std::size_t> hypotenuse_of(std::size_t index) const noexcept {
    const std::optional<std::size_t> whole = programs_.poles.all[index].whole;
    return whole ? std::optional(first_hypotenuse() + *whole) : std::nullopt;
  }
  /// The time that a step may take at most, s, of an argument of a table with this value and rate.
  double longest_step(std::size_t event, double value, double rate) const noexcept {
    return programs_.reaches[event - first_passed()].time(value, rate);
  }

 private:
  std::size_t first_switch() const { return programs_.poles.all.size(); }
  std::size_t first_peak() const { return first_switch() + programs_.switches.roots(); }
  std::size_t first_passed() const { return first_peak() + programs_.peaks.roots(); }
  std::size_t first_hypotenuse() const { return first_passed() + programs_.passed.roots(); }
  void find_switches(std::span<const double> inputs, EventOutput&) noexcept;

  const FormulaPrograms& programs_;
  std::vector<double> switch_work_;
  std::vector<Jet> pole_work_, peak_work_, passed_work_, hypotenuse_work_;  ///< values and rates
};

}  // namespace polyform::host::inline expressions
