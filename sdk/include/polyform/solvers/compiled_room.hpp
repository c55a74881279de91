// The arrays that the kernels of a compiled model read and write, and what they ask of their number. The kernels
// include nothing else: they have no heap, no exception and no virtual call, and need no standard library, so that a
// compiler for a device takes them too.
#pragma once

/// Before each function of a kernel. A compiler for a device makes one function of them.
#ifdef POLYFORM_DEVICE
#define POLYFORM_KERNEL inline __attribute__((always_inline))
#else
#define POLYFORM_KERNEL __attribute__((noinline))
#endif

/// Before a function that all its callers share, whose numbers then have places in memory.
#define POLYFORM_APART __attribute__((noinline))

namespace polyform {

/// T: double, or the compiler's vector of as many as a register takes. Numbers: what leads to those of the worlds.
/// Its members are the arguments of the kernels of a compiled model, which pass one structure from part to part.
template <class T, class Numbers = const T*>
struct CompiledRoom {
  using Number = T;
  using Mask = decltype(T{} > T{});
  using Index = decltype(sizeof(0));

  const double* y = nullptr;                     ///< number i of the first lane at y[i · stride]
  double* ydot = nullptr;                        ///< the same
  const T *sines = nullptr, *cosines = nullptr;  ///< of the angles
  Numbers constants{}, frames{}, axes{}, ground{}, cuts{}, cut_places{};
  Numbers forces{};                              ///< what the laws of forces depend on
  const T* motions = nullptr;                    ///< of joints that are code
  const T *loads = nullptr, *efforts = nullptr;  ///< what acts
  T* frame_motions = nullptr;  ///< written where something acts on the frame that is not in the kernels
  double* events = nullptr;    ///< values of event functions, as y, or nullptr
  double* power = nullptr;     ///< of what acts, of the first lane: never null where the kernels have the forces
  T* work = nullptr;           ///< from one part of a kernel to the next
  Mask* bad = nullptr;         ///< lanes that the world's own solver has to do

  /// One world stands by itself, and worlds in lanes in a batch of eight.
  static constexpr Index stride = sizeof(T) == sizeof(double) ? 1 : 8;

  T state(Index i) const {
    T x;
    __builtin_memcpy(&x, y + i * stride, sizeof x);
    return x;
  }
  void put_rate(Index i, const T& x) const { __builtin_memcpy(ydot + i * stride, &x, sizeof x); }
  void put_power(const T& x) const { __builtin_memcpy(power, &x, sizeof x); }
  void put_event(Index i, const T& x) const {
    if (events != nullptr) __builtin_memcpy(events + i * stride, &x, sizeof x);
  }
  static T all(double x) { return T{} + x; }
  void check(const T& a, const T& b) const { *bad |= not_above(a, b); }

  static T absolute(const T& a) { return a < T{} ? -a : a; }
  static T greater(const T& a, const T& b) { return a < b ? b : a; }
  static T where_positive(const T& a, const T& b) { return a > T{} ? b : T{}; }
  static T root(const T& a) {
    if constexpr (sizeof(T) == sizeof(double)) {
      return __builtin_sqrt(a);
    } else {
      T roots{};
      for (Index k = 0; k < sizeof(T) / sizeof(double); ++k) roots[k] = __builtin_sqrt(a[k]);
      return roots;
    }
  }

 private:
  static Mask not_above(const T& a, const T& b) {
    if constexpr (sizeof(T) == sizeof(double))
      return !(a > b);
    else
      return ~(a > b);
  }
};

}  // namespace polyform
