#include "lane_arithmetic.hpp"

namespace polyform::runge_kutta {

namespace {

/// The lanes of most batches, known to the compiler.
constexpr std::size_t usual_lanes = 8;

template <std::size_t fixed>
[[gnu::always_inline]] inline void add(std::size_t numbers, std::size_t counted, const double* __restrict h,
                                       const double* __restrict y, std::span<const Term> terms,
                                       double* __restrict out) noexcept {
  const std::size_t lanes = fixed > 0 ? fixed : counted;
  for (std::size_t i = 0; i < numbers; ++i) {
    double* const to = out + i * lanes;
    for (std::size_t k = 0; k < lanes; ++k) to[k] = 0;
    for (const Term& term : terms) {
      const double* const rates = term.rates + i * lanes;
      for (std::size_t k = 0; k < lanes; ++k) to[k] += term.factor * rates[k];
    }
    for (std::size_t k = 0; k < lanes; ++k) to[k] *= h[k];
    if (y != nullptr)
      for (std::size_t k = 0; k < lanes; ++k) to[k] += y[i * lanes + k];
  }
}

}  // namespace

// Built for several instruction sets, of which the loader picks one, where the compiler and its tools know how.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
void add_terms(std::size_t numbers, std::size_t lanes, const double* h, const double* y, std::span<const Term> terms,
               double* out) noexcept {
  if (lanes == usual_lanes)
    add<usual_lanes>(numbers, lanes, h, y, terms, out);
  else
    add<0>(numbers, lanes, h, y, terms, out);
}

}  // namespace polyform::runge_kutta
