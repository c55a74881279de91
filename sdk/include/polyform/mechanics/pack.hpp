// A pack of several numbers that kernels compute with like one number, to evaluate many worlds at a time.
//
// A kernel is written once as a template on its number T: double, or a Pack<N> of N of them, one for each lane. No
// comparison of numbers decides what a kernel does: lanes that need something else are marked in a mask. Lanes never
// mix, so that the result of a lane depends on that lane alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace polyform {

/// The compiler's vectors of N elements.
template <std::size_t N>
struct VectorOf;
template <>
struct VectorOf<2> {
  typedef double Numbers __attribute__((vector_size(16)));
  typedef std::int64_t Marks __attribute__((vector_size(16)));
};
template <>
struct VectorOf<4> {
  typedef double Numbers __attribute__((vector_size(32)));
  typedef std::int64_t Marks __attribute__((vector_size(32)));
};
template <>
struct VectorOf<8> {
  typedef double Numbers __attribute__((vector_size(64)));
  typedef std::int64_t Marks __attribute__((vector_size(64)));
};

/// N doubles; N is 2, 4 or 8. Operations are those of the compiler's vectors, element by element.
template <std::size_t N>
struct Pack {
  using Lanes = typename VectorOf<N>::Numbers;

  Lanes lanes{};

  constexpr Pack() = default;
  explicit constexpr Pack(double x) : lanes(x - Lanes{}) {}
  explicit constexpr Pack(const Lanes& of) : lanes(of) {}

  constexpr double operator[](std::size_t lane) const { return lanes[lane]; }
  constexpr void set(std::size_t lane, double x) { lanes[lane] = x; }

  constexpr Pack& operator+=(const Pack& b) {
    lanes += b.lanes;
    return *this;
  }
  constexpr Pack& operator-=(const Pack& b) {
    lanes -= b.lanes;
    return *this;
  }
  constexpr Pack& operator*=(const Pack& b) {
    lanes *= b.lanes;
    return *this;
  }
  friend constexpr Pack operator+(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes + b.lanes)); }
  friend constexpr Pack operator-(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes - b.lanes)); }
  friend constexpr Pack operator*(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes * b.lanes)); }
  friend constexpr Pack operator/(const Pack& a, const Pack& b) { return Pack(Lanes(a.lanes / b.lanes)); }
  friend constexpr Pack operator-(const Pack& a) { return Pack(Lanes(-a.lanes)); }
};

/// Lanes that are marked: all bits of the element are set, or none.
template <std::size_t N>
struct PackMask {
  using Lanes = typename VectorOf<N>::Marks;

  Lanes lanes{};

  constexpr bool operator[](std::size_t lane) const { return lanes[lane] != 0; }
  constexpr PackMask& operator|=(const PackMask& b) {
    lanes |= b.lanes;
    return *this;
  }
};

/// The operations that a kernel needs for its number.
template <class T>
struct LanesOf {
  static constexpr std::size_t count = 1;
  using Mask = bool;
  static double read(const double* from) { return *from; }
  static void write(double x, double* to) { *to = x; }
  static double lane(double x, std::size_t) { return x; }
  static void set(double& x, std::size_t, double value) { x = value; }
  static bool is_marked(bool mask, std::size_t) { return mask; }
};
template <std::size_t N>
struct LanesOf<Pack<N>> {
  static constexpr std::size_t count = N;
  using Mask = PackMask<N>;
  static Pack<N> read(const double* from) {
    Pack<N> x;
    std::memcpy(&x.lanes, from, sizeof x.lanes);
    return x;
  }
  static void write(const Pack<N>& x, double* to) { std::memcpy(to, &x.lanes, sizeof x.lanes); }
  static double lane(const Pack<N>& x, std::size_t lane) { return x[lane]; }
  static void set(Pack<N>& x, std::size_t lane, double value) { x.set(lane, value); }
  static bool is_marked(const PackMask<N>& mask, std::size_t lane) { return mask[lane]; }
};

template <std::size_t N>
Pack<N> abs(const Pack<N>& a) {
  return Pack<N>(typename Pack<N>::Lanes(a.lanes < typename Pack<N>::Lanes{} ? -a.lanes : a.lanes));
}
template <std::size_t N>
Pack<N> max(const Pack<N>& a, const Pack<N>& b) {
  return Pack<N>(typename Pack<N>::Lanes(a.lanes < b.lanes ? b.lanes : a.lanes));
}

/// Lanes in which a > b does not hold; those with a NaN are among them.
inline bool not_greater(double a, double b) { return !(a > b); }
template <std::size_t N>
PackMask<N> not_greater(const Pack<N>& a, const Pack<N>& b) {
  return {typename PackMask<N>::Lanes(~(a.lanes > b.lanes))};
}

/// The number of doubles in one register of the instruction set of this build.
#if defined(__AVX512F__)
inline constexpr std::size_t pack_size = 8;
#elif defined(__AVX__)
inline constexpr std::size_t pack_size = 4;
#else
inline constexpr std::size_t pack_size = 2;
#endif

}  // namespace polyform
