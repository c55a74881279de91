// What formulas give at an instant of a run: to name the one that brings the run to an end.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/host/expressions/formula.hpp"

namespace polyform::host::inline expressions {

/// A number that means nothing in SI units is larger. No speed, acceleration, force or moment of a real thing exceeds
/// those made of the Planck units (the largest is an angular acceleration, c²/l² = 3e86 rad/s²); squares of what is
/// smaller are still finite.
inline constexpr double beyond_any_scale = 1e100;

/// While it lives, each formula that this thread evaluates notes its last value in it.
class FormulaValues {
 public:
  FormulaValues();
  ~FormulaValues();
  FormulaValues(const FormulaValues&) = delete;
  FormulaValues& operator=(const FormulaValues&) = delete;

  struct Value {
    TextPlace place;
    double value;
    std::string text;  ///< "`1/(t-1)` (model.yaml:7:20: forces[0].effort)"
  };
  /// What was noted so far; the next call begins with none.
  std::vector<Value> take();

  /// Notes a value where an object lives; a formula without a place, such as a plain number, is none.
  static void note(const TextPlace& place, std::span<const FormulaText> texts, double value) noexcept {
    if (living_ != nullptr) [[unlikely]]
      living_->add(place, texts, value);
  }

 private:
  void add(const TextPlace&, std::span<const FormulaText>, double) noexcept;

  static thread_local FormulaValues* living_;
  std::vector<Value> values_;
};

/// The formula that changes fastest from one instant to a later one, in a sentence, where it changes by its own size
/// within less than `shortest`; "" where none does. A formula that runs into a pole changes so: 1/(t - 1) at t = 1.
std::string steepest_formula(std::span<const FormulaValues::Value> from, std::span<const FormulaValues::Value> to,
                             double time_between, double shortest);

}  // namespace polyform::host::expressions
