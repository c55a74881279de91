#include "framework/host/watches/divisor_touches.hpp"

#include <cmath>

#include "framework/host/expressions/poles.hpp"

namespace polyform::host::inline watches {

DivisorTouches::DivisorTouches(const ElementEvents& elements) : is_near_(elements.size(), 1) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements.crossing(k) != pole && elements.crossing(k) != touched_pole) continue;
    if (const auto divisor = elements.divisor_of(k)) parts_.push_back({k, *divisor});
  }
}

void DivisorTouches::begin(std::span<const double> values, std::span<const double> rates, double length) {
  for (const Part& p : parts_) is_near_[p.function] = 0;
  see(values, rates, length);
}

void DivisorTouches::see(std::span<const double> values, std::span<const double> rates, double length) {
  // From an end of a step in whose middle hypot(x, y) touches zero it takes half a step.
  constexpr double steps_to_touch = 8;
  for (const Part& p : parts_) {
    const double way = steps_to_touch * length * std::abs(rates[p.divisor]);
    if (!(std::abs(values[p.divisor]) > way)) is_near_[p.function] = 1;
  }
}

}  // namespace polyform::host::watches
