#include "framework/host/watches/hypotenuse_legs.hpp"

#include <cmath>

#include "framework/host/expressions/poles.hpp"

namespace polyform::host::inline watches {

HypotenuseLegs::HypotenuseLegs(const ElementEvents& elements) : is_long_(elements.size(), 1) {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements.crossing(k) != pole) continue;
    if (const auto whole = elements.hypotenuse_of(k)) legs_.push_back({k, *whole});
  }
}

void HypotenuseLegs::begin(std::span<const double> values) {
  for (const Leg& leg : legs_) is_long_[leg.function] = 0;
  see(values);
}

void HypotenuseLegs::see(std::span<const double> values) {
  constexpr double least_share = 0.1;  // of the hypotenuse: the longest of a hundred legs is longer
  for (const Leg& leg : legs_)
    if (!(std::abs(values[leg.function]) < least_share * std::abs(values[leg.hypotenuse]))) is_long_[leg.function] = 1;
}

}  // namespace polyform::host::watches
