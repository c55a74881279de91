#include "framework/host/expressions/formula_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace polyform::host::inline expressions {

thread_local FormulaValues* FormulaValues::living_ = nullptr;

FormulaValues::FormulaValues() { living_ = this; }
FormulaValues::~FormulaValues() { living_ = nullptr; }

std::vector<FormulaValues::Value> FormulaValues::take() { return std::exchange(values_, {}); }

void FormulaValues::add(const TextPlace& place, std::span<const FormulaText> texts, double value) noexcept {
  if (place.formula >= texts.size() || place.end <= place.begin) return;
  try {
    const auto known = std::ranges::find_if(values_, [&](const Value& v) {
      return v.place.formula == place.formula && v.place.begin == place.begin && v.place.end == place.end;
    });
    if (known != values_.end())
      known->value = value;
    else
      values_.push_back({place, value, shown_part(place, texts)});
  } catch (...) {  // without memory it is not noted
  }
}

std::string steepest_formula(std::span<const FormulaValues::Value> from, std::span<const FormulaValues::Value> to,
                             double time_between, double shortest) {
  std::string text;
  for (const FormulaValues::Value& later : to)
    for (const FormulaValues::Value& before : from) {
      if (before.text != later.text) continue;
      const double change = std::abs(later.value - before.value), size = std::abs(later.value);
      const double time = size / change * time_between;
      if (!(time < shortest)) continue;
      shortest = time;
      text = fmt::format("{} is {:.3g} and changes by its own size within {:.1e} s", later.text, later.value, time);
    }
  return text;
}

}  // namespace polyform::host::expressions
