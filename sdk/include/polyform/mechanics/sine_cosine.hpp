// Sine and cosine of an angle by arithmetic alone: for loops over many angles, which a compiler makes vectors of, and
// for devices. It needs no standard library.
#pragma once

namespace polyform {

struct SineCosine {
  double sine, cosine;
};

namespace sine_cosine {

/// Up to here sine_and_cosine() is right.
inline constexpr double largest_angle = 1e6;

// π/2 in three parts. The first two have 33 bits, so that their products with a number of quarter turns below 2²⁰ are
// exact; what the three leave out is below 2⁻¹²⁰.
inline constexpr double quarter_1 = 0x1.921fb544p+0, quarter_2 = 0x1.0b4611a6p-34, quarter_3 = 0x1.3198a2e037073p-69;
inline constexpr double quarters_per_radian = 0x1.45f306dc9c883p-1;
/// Added to a small number, it leaves the nearest integer in the last bits of the sum.
inline constexpr double rounder = 0x1.8p52;

/// (sin x − x) / x³ and (cos x − 1 + x²/2) / x⁴ as polynomials in z = x² for |x| ≤ π/4: interpolated at Chebyshev
/// nodes, errors below 2⁻⁵⁶ of sin x and 2⁻⁶⁰.
inline double sine_tail(double z) {
  const double high = -0x1.ae6009e9f707p-26 + z * 0x1.5e0ab4dd007dap-33;
  return -0x1.5555555555555p-3 +
         z * (0x1.1111111110bafp-7 + z * (-0x1.a01a019e82db1p-13 + z * (0x1.71de37957c95cp-19 + z * high)));
}
inline double cosine_tail(double z) {
  const double high = 0x1.1eeb685cba14cp-29 + z * -0x1.907d3e3374a42p-37;
  return 0x1.5555555555555p-5 +
         z * (-0x1.6c16c16c16965p-10 + z * (0x1.a01a019f4e48p-16 + z * (-0x1.27e4fa17532cap-22 + z * high)));
}

}  // namespace sine_cosine

/// Within 1.1 ulp up to |angle| = sine_cosine::largest_angle.
inline SineCosine sine_and_cosine(double angle) {
  using namespace sine_cosine;
  using Bits = unsigned long;
  static_assert(sizeof(Bits) == sizeof(double));
  const double shifted = angle * quarters_per_radian + rounder;
  const double k = shifted - rounder;
  // angle = k π/2 + x + low: the difference that rounds is formed together with its error.
  const double a = angle - k * quarter_1, b = k * quarter_2, c = a - b;
  const double rest = k * quarter_3 - ((a - c) - b);
  const double x = c - rest, low = (c - x) - rest;

  const double z = x * x, half = 0.5 * z, whole = 1.0 - half;
  const double s = x + (low * (1.0 - half) + (z * x) * sine_tail(z));
  const double d = whole + (((1.0 - whole) - half) + (z * z * cosine_tail(z) - x * low));

  // Quarter turns: odd ones swap the two, the signs follow from the last two bits of k and k + 1.
  const Bits quarters = __builtin_bit_cast(Bits, shifted);
  const Bits s_bits = __builtin_bit_cast(Bits, s), d_bits = __builtin_bit_cast(Bits, d);
  const Bits swap = (s_bits ^ d_bits) & (0 - (quarters & 1));
  return {__builtin_bit_cast(double, (s_bits ^ swap) ^ ((quarters & 2) << 62)),
          __builtin_bit_cast(double, (d_bits ^ swap) ^ (((quarters + 1) & 2) << 62))};
}

}  // namespace polyform
