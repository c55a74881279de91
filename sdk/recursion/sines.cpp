#include "sines.hpp"

#include <cmath>
#include <cstdint>

#include "polyform/mechanics/sine_cosine.hpp"

namespace polyform {

void sines_and_cosines(const double* __restrict angle, std::size_t count, double* __restrict sine,
                       double* __restrict cosine) noexcept {
  std::uint64_t strange = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const SineCosine of = sine_and_cosine(angle[i]);
    sine[i] = of.sine;
    cosine[i] = of.cosine;
    strange |= std::abs(angle[i]) <= sine_cosine::largest_angle ? 0 : 1;
  }
  if (strange == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::abs(angle[i]) <= sine_cosine::largest_angle) continue;
    sine[i] = std::sin(angle[i]);
    cosine[i] = std::cos(angle[i]);
  }
}

}  // namespace polyform
