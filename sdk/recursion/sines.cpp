#include "sines.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace polyform {
namespace {

// π/2 in three parts. The first two have 33 bits, so that their products with a number of quarter turns below 2²⁰ are
// exact; what the three leave out is below 2⁻¹²⁰.
constexpr double quarter_1 = 0x1.921fb544p+0, quarter_2 = 0x1.0b4611a6p-34, quarter_3 = 0x1.3198a2e037073p-69;
constexpr double quarters_per_radian = 0x1.45f306dc9c883p-1;
constexpr double largest_angle = 1e6;
/// Added to a small number, it leaves the nearest integer in the last bits of the sum.
constexpr double rounder = 0x1.8p52;

/// (sin x − x) / x³ and (cos x − 1 + x²/2) / x⁴ as polynomials in z = x² for |x| ≤ π/4: interpolated at Chebyshev
/// nodes, errors below 2⁻⁵⁶ of sin x and 2⁻⁶⁰.
double sine_tail(double z) {
  const double high = -0x1.ae6009e9f707p-26 + z * 0x1.5e0ab4dd007dap-33;
  return -0x1.5555555555555p-3 +
         z * (0x1.1111111110bafp-7 + z * (-0x1.a01a019e82db1p-13 + z * (0x1.71de37957c95cp-19 + z * high)));
}
double cosine_tail(double z) {
  const double high = 0x1.1eeb685cba14cp-29 + z * -0x1.907d3e3374a42p-37;
  return 0x1.5555555555555p-5 +
         z * (-0x1.6c16c16c16965p-10 + z * (0x1.a01a019f4e48p-16 + z * (-0x1.27e4fa17532cap-22 + z * high)));
}

}  // namespace

void sines_and_cosines(const double* __restrict angle, std::size_t count, double* __restrict sine,
                       double* __restrict cosine) noexcept {
  std::uint64_t strange = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double shifted = angle[i] * quarters_per_radian + rounder;
    const double k = shifted - rounder;
    // angle = k π/2 + x + low: the difference that rounds is formed together with its error.
    const double a = angle[i] - k * quarter_1, b = k * quarter_2, c = a - b;
    const double rest = k * quarter_3 - ((a - c) - b);
    const double x = c - rest, low = (c - x) - rest;

    const double z = x * x, half = 0.5 * z, whole = 1.0 - half;
    const double s = x + (low * (1.0 - half) + (z * x) * sine_tail(z));
    const double d = whole + (((1.0 - whole) - half) + (z * z * cosine_tail(z) - x * low));

    // Quarter turns: odd ones swap the two, the signs follow from the last two bits of k and k + 1.
    const std::uint64_t quarters = std::bit_cast<std::uint64_t>(shifted);
    const std::uint64_t s_bits = std::bit_cast<std::uint64_t>(s), d_bits = std::bit_cast<std::uint64_t>(d);
    const std::uint64_t swap = (s_bits ^ d_bits) & (0 - (quarters & 1));
    sine[i] = std::bit_cast<double>((s_bits ^ swap) ^ ((quarters & 2) << 62));
    cosine[i] = std::bit_cast<double>((d_bits ^ swap) ^ (((quarters + 1) & 2) << 62));
    strange |= std::abs(angle[i]) <= largest_angle ? 0 : 1;
  }
  if (strange == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::abs(angle[i]) <= largest_angle) continue;
    sine[i] = std::sin(angle[i]);
    cosine[i] = std::cos(angle[i]);
  }
}

}  // namespace polyform
