#include "lane_arithmetic.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace polyform::runge_kutta {

namespace {

/// The lanes of most batches, known to the compiler.
constexpr std::size_t usual_lanes = 8;
/// The terms at the end of a step of Dormand and Prince's method.
constexpr std::size_t usual_ends = 5;
/// As many lanes as a register of an instruction set has.
typedef double Wide4 __attribute__((vector_size(32)));
typedef double Wide8 __attribute__((vector_size(64)));

/// For any number of lanes.
[[gnu::always_inline]] inline void add_any(std::size_t numbers, std::size_t lanes, const double* __restrict h,
                                           const double* __restrict y, std::span<const StageTerm> terms,
                                           double* __restrict out) noexcept {
  for (std::size_t i = 0; i < numbers; ++i) {
    double* const to = out + i * lanes;
    for (std::size_t k = 0; k < lanes; ++k) to[k] = 0;
    for (const StageTerm& term : terms) {
      const double* const rates = term.rates + i * lanes;
      for (std::size_t k = 0; k < lanes; ++k) to[k] += term.factor * rates[k];
    }
    for (std::size_t k = 0; k < lanes; ++k) to[k] *= h[k];
    if (y != nullptr)
      for (std::size_t k = 0; k < lanes; ++k) to[k] += y[i * lanes + k];
  }
}

/// So many terms in the usual lanes: factors and places of rates stay in registers too.
template <class Wide, std::size_t count>
[[gnu::always_inline]] inline void add_count(std::size_t numbers, const double* h, const double* y,
                                             std::span<const StageTerm> all, double* out) noexcept {
  StageTerm terms[count];
  for (std::size_t j = 0; j < count; ++j) terms[j] = all[j];
  const auto add_one = [&](std::size_t at, std::size_t lane) {
    Wide sum{}, other;
    for (std::size_t j = 0; j < count; ++j) {
      std::memcpy(&other, terms[j].rates + at, sizeof other);
      sum += terms[j].factor * other;
    }
    std::memcpy(&other, h + lane, sizeof other);
    sum = __builtin_assoc_barrier(sum * other);  // rounded before y comes to it, for any instruction set
    if (y != nullptr) {
      std::memcpy(&other, y + at, sizeof other);
      sum += other;
    }
    std::memcpy(out + at, &sum, sizeof sum);
  };
  for (std::size_t i = 0; i < numbers * usual_lanes; i += usual_lanes)
    for (std::size_t k = 0; k < usual_lanes; k += sizeof(Wide) / sizeof(double)) add_one(i + k, k);
}

/// For the usual lanes. All numbers that fit into a register stay there: from a loop over lanes GCC 12 makes shuffles
/// for AVX2 and AVX-512 that take three to five times as long. For the smallest registers such a loop is best: Wide is
/// void.
template <class Wide>
[[gnu::always_inline]] inline void add_usual(std::size_t numbers, const double* h, const double* y,
                                             std::span<const StageTerm> terms, double* out) noexcept {
  if constexpr (!std::is_void_v<Wide>) {
    switch (terms.size()) {
      case 1: return add_count<Wide, 1>(numbers, h, y, terms, out);
      case 2: return add_count<Wide, 2>(numbers, h, y, terms, out);
      case 3: return add_count<Wide, 3>(numbers, h, y, terms, out);
      case 4: return add_count<Wide, 4>(numbers, h, y, terms, out);
      case 5: return add_count<Wide, 5>(numbers, h, y, terms, out);
      case 6: return add_count<Wide, 6>(numbers, h, y, terms, out);
      default: break;
    }
  }
  add_any(numbers, usual_lanes, h, y, terms, out);
}

template <std::size_t fixed>
[[gnu::always_inline]] inline void end_any(std::size_t numbers, std::size_t counted, const double* __restrict h,
                                           const double* __restrict y, std::span<const EndTerm> terms,
                                           double* __restrict out, double* __restrict error) noexcept {
  const std::size_t lanes = fixed > 0 ? fixed : counted;
  for (std::size_t j = 0; j < numbers * lanes; ++j) out[j] = error[j] = 0;
  for (const EndTerm& term : terms)
    for (std::size_t j = 0; j < numbers * lanes; ++j) {
      out[j] += term.factor * term.rates[j];
      error[j] += term.in_error * term.rates[j];
    }
  for (std::size_t i = 0; i < numbers; ++i)
    for (std::size_t k = 0; k < lanes; ++k) out[i * lanes + k] = y[i * lanes + k] + h[k] * out[i * lanes + k];
}
/// The same of so many terms in the usual lanes.
template <class Wide, std::size_t count>
[[gnu::always_inline]] inline void end_count(std::size_t numbers, const double* h, const double* y,
                                             std::span<const EndTerm> all, double* out, double* error) noexcept {
  EndTerm terms[count];
  for (std::size_t j = 0; j < count; ++j) terms[j] = all[j];
  for (std::size_t i = 0; i < numbers * usual_lanes; i += sizeof(Wide) / sizeof(double)) {
    Wide sum{}, rest{}, other;
    for (std::size_t j = 0; j < count; ++j) {
      std::memcpy(&other, terms[j].rates + i, sizeof other);
      sum += terms[j].factor * other;
      rest += terms[j].in_error * other;
    }
    std::memcpy(error + i, &rest, sizeof rest);
    std::memcpy(&other, h + i % usual_lanes, sizeof other);
    sum = __builtin_assoc_barrier(sum * other);
    std::memcpy(&other, y + i, sizeof other);
    sum += other;
    std::memcpy(out + i, &sum, sizeof sum);
  }
}

/// The largest errors in the usual lanes, as find() has them.
template <class Wide>
[[gnu::always_inline]] inline void find_usual(std::size_t numbers, const LaneTolerances& tolerances,
                                              const double* start, const double* end, const LaneErrors& errors,
                                              double* largest) noexcept {
  const auto read = [](const double* from, Wide& into) { std::memcpy(&into, from, sizeof into); };
  const auto read_size = [&](const double* from, Wide& into) {
    read(from, into);
    into = into < 0 ? -into : into;
  };
  for (std::size_t k = 0; k < usual_lanes; k += sizeof(Wide) / sizeof(double)) {
    Wide absolute, relative, h, most{}, trouble{}, before, last, after, here, rate;
    read(errors.h + k, h);
    read(tolerances.absolute + k, absolute);
    read(tolerances.relative + k, relative);
    for (std::size_t j = k; j < numbers * usual_lanes; j += usual_lanes) {
      read_size(start + j, before);
      read(end + j, last);
      read_size(end + j, after);
      read(errors.sum + j, here);
      read(errors.rates + j, rate);
      here = h * (here + errors.factor * rate);
      here = here < 0 ? -here : here;
      here = here / (absolute + relative * (before > after ? before : after)) + 0 * last;
      most = here <= most ? most : here;
      trouble += 0 * here;  // a larger number may follow one that is none
    }
    most += trouble;
    std::memcpy(largest + k, &most, sizeof most);
  }
}

template <std::size_t fixed>
[[gnu::always_inline]] inline void find(std::size_t numbers, std::size_t counted, const LaneTolerances& tolerances,
                                        const double* __restrict start, const double* __restrict end,
                                        const LaneErrors& errors, double* __restrict largest) noexcept {
  const std::size_t lanes = fixed > 0 ? fixed : counted;
  for (std::size_t k = 0; k < lanes; ++k) largest[k] = 0;
  for (std::size_t i = 0; i < numbers; ++i)
    for (std::size_t k = 0; k < lanes; ++k) {
      if (std::isnan(largest[k])) continue;
      const std::size_t j = i * lanes + k;
      const double a = std::abs(start[j]), b = std::abs(end[j]);
      const double tolerance = tolerances.absolute[k] + tolerances.relative[k] * (a > b ? a : b);
      const double error = errors.h[k] * (errors.sum[j] + errors.factor * errors.rates[j]);
      const double here = std::abs(error) / tolerance + 0 * end[j];
      largest[k] = here <= largest[k] ? largest[k] : here;
    }
}

template <std::size_t fixed>
[[gnu::always_inline]] inline void copy(std::size_t numbers, std::size_t counted, const double* __restrict marks,
                                        const double* __restrict from, double* __restrict to) noexcept {
  const std::size_t lanes = fixed > 0 ? fixed : counted;
  for (std::size_t i = 0; i < numbers; ++i)
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t j = i * lanes + k;
      // Both are read before one is chosen. From a choice between two reads GCC 12 makes masked loads, and takes the
      // mask of the first four lanes for the other four too.
      const double taken = from[j], kept = to[j];
      to[j] = marks[k] > 0 ? taken : kept;
    }
}

template <std::size_t fixed>
[[gnu::always_inline]] inline void carry(std::size_t counted, const double* __restrict marks,
                                         const LaneQuaternions& all, double* __restrict rates,
                                         double* __restrict trouble) noexcept {
  const std::size_t lanes = fixed > 0 ? fixed : counted;
  for (std::size_t k = 0; k < lanes; ++k) trouble[k] = 0;
  for (const std::size_t place : all.places) {
    const double *const before = all.before + place * lanes, *const after = all.after + place * lanes;
    double* const rate = rates + place * lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      double product = 0, square = 0;
      for (std::size_t i = k; i < k + 4 * lanes; i += lanes) {
        product += after[i] * before[i];
        square += before[i] * before[i];
      }
      const double factor = marks[k] > 0 ? product / square : 1.0;
      for (std::size_t i = k; i < k + 4 * lanes; i += lanes) rate[i] *= factor;
      trouble[k] += 0 * factor;
    }
  }
}
/// The same in the usual lanes.
template <class Wide>
[[gnu::always_inline]] inline void carry_usual(const double* marks, const LaneQuaternions& all, double* rates,
                                               double* trouble) noexcept {
  const auto read = [](const double* from, Wide& into) { std::memcpy(&into, from, sizeof into); };
  const Wide one = 1.0 - Wide{};
  for (std::size_t k = 0; k < usual_lanes; k += sizeof(Wide) / sizeof(double)) {
    Wide marked, found{}, before, after, rate;
    read(marks + k, marked);
    for (const std::size_t place : all.places) {
      const std::size_t first = place * usual_lanes + k;
      Wide product{}, square{};
      for (std::size_t i = first; i < first + 4 * usual_lanes; i += usual_lanes) {
        read(all.before + i, before);
        read(all.after + i, after);
        product += after * before;
        square += before * before;
      }
      Wide factor = product / square;
      factor = marked > 0 ? factor : one;
      for (std::size_t i = first; i < first + 4 * usual_lanes; i += usual_lanes) {
        read(rates + i, rate);
        rate *= factor;
        std::memcpy(rates + i, &rate, sizeof rate);
      }
      found += 0 * factor;
    }
    std::memcpy(trouble + k, &found, sizeof found);
  }
}

/// Works on so many lanes at a time, or on all where none is fixed.
template <std::size_t fixed>
[[gnu::always_inline]] inline void normalize_any(std::size_t counted, std::span<const std::size_t> places,
                                                 double* __restrict y, double* __restrict residuals) noexcept {
  const std::size_t lanes = fixed > 0 ? fixed : counted;
  for (std::size_t k = 0; k < lanes; ++k) residuals[k] = 0;
  for (const std::size_t place : places) {
    double* const w = y + place * lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      double *const a = w + k, *const b = a + lanes, *const c = b + lanes, *const d = c + lanes;
      const double length = __builtin_sqrt(*a * *a + *b * *b + *c * *c + *d * *d), factor = 1 / length;
      const double residual = std::abs(length - 1);
      // A product of zero and no number stays in the sum.
      residuals[k] = (residual > residuals[k] ? residual : residuals[k]) + 0 * factor + 0 * residuals[k];
      *a *= factor;
      *b *= factor;
      *c *= factor;
      *d *= factor;
    }
  }
}

// Built for several instruction sets. The best is taken if the compiler and its tools can choose one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define POLYFORM_HAS_SETS
#endif

// The functions with an attribute that names the instruction set.
#define POLYFORM_LANE_ARITHMETIC(name, wide, ...)                                                                 \
  struct name {                                                                                                   \
    __VA_ARGS__ static void add_terms(std::size_t numbers, std::size_t lanes, const double* h, const double* y,   \
                                      std::span<const StageTerm> terms, double* out) noexcept {                   \
      if (lanes == usual_lanes)                                                                                   \
        add_usual<wide>(numbers, h, y, terms, out);                                                               \
      else                                                                                                        \
        add_any(numbers, lanes, h, y, terms, out);                                                                \
    }                                                                                                             \
    __VA_ARGS__ static void add_ends(std::size_t numbers, std::size_t lanes, const double* h, const double* y,    \
                                     std::span<const EndTerm> terms, double* out, double* error) noexcept {       \
      if constexpr (!std::is_void_v<wide>)                                                                        \
        if (lanes == usual_lanes && terms.size() == usual_ends)                                                   \
          return end_count<wide, usual_ends>(numbers, h, y, terms, out, error);                                   \
      if (lanes == usual_lanes)                                                                                   \
        end_any<usual_lanes>(numbers, lanes, h, y, terms, out, error);                                            \
      else                                                                                                        \
        end_any<0>(numbers, lanes, h, y, terms, out, error);                                                      \
    }                                                                                                             \
    __VA_ARGS__ static void find_errors(std::size_t numbers, std::size_t lanes, const LaneTolerances& tolerances, \
                                        const double* start, const double* end, const LaneErrors& errors,         \
                                        double* largest) noexcept {                                               \
      if constexpr (!std::is_void_v<wide>)                                                                        \
        if (lanes == usual_lanes) return find_usual<wide>(numbers, tolerances, start, end, errors, largest);      \
      if (lanes == usual_lanes)                                                                                   \
        find<usual_lanes>(numbers, lanes, tolerances, start, end, errors, largest);                               \
      else                                                                                                        \
        find<0>(numbers, lanes, tolerances, start, end, errors, largest);                                         \
    }                                                                                                             \
    __VA_ARGS__ static void copy_lanes(std::size_t numbers, std::size_t lanes, const double* marks,               \
                                       const double* from, double* to) noexcept {                                 \
      if (lanes == usual_lanes)                                                                                   \
        copy<usual_lanes>(numbers, lanes, marks, from, to);                                                       \
      else                                                                                                        \
        copy<0>(numbers, lanes, marks, from, to);                                                                 \
    }                                                                                                             \
    __VA_ARGS__ static void carry_rates(std::size_t lanes, const double* marks, const LaneQuaternions& all,       \
                                        double* rates, double* trouble) noexcept {                                \
      if constexpr (!std::is_void_v<wide>)                                                                        \
        if (lanes == usual_lanes) return carry_usual<wide>(marks, all, rates, trouble);                           \
      if (lanes == usual_lanes)                                                                                   \
        carry<usual_lanes>(lanes, marks, all, rates, trouble);                                                    \
      else                                                                                                        \
        carry<0>(lanes, marks, all, rates, trouble);                                                              \
    }                                                                                                             \
    __VA_ARGS__ static void normalize(std::size_t lanes, std::span<const std::size_t> places, double* y,          \
                                      double* residuals) noexcept {                                               \
      if (lanes == usual_lanes)                                                                                   \
        normalize_any<usual_lanes>(lanes, places, y, residuals);                                                  \
      else                                                                                                        \
        normalize_any<0>(lanes, places, y, residuals);                                                            \
    }                                                                                                             \
  }

POLYFORM_LANE_ARITHMETIC(Baseline, void, );
#ifdef POLYFORM_HAS_SETS
POLYFORM_LANE_ARITHMETIC(Avx2, Wide4, [[gnu::target("avx2")]]);
POLYFORM_LANE_ARITHMETIC(Avx512, Wide8, [[gnu::target("avx512f")]]);
#endif
#undef POLYFORM_LANE_ARITHMETIC

template <class Set>
constexpr LaneArithmetic built(std::string_view instruction_set) {
  return {instruction_set,  &Set::add_terms,   &Set::add_ends, &Set::find_errors,
          &Set::copy_lanes, &Set::carry_rates, &Set::normalize};
}

constexpr LaneArithmetic all_sets[]{
    built<Baseline>("baseline"),
#ifdef POLYFORM_HAS_SETS
    built<Avx2>("avx2"),
    built<Avx512>("avx512f"),
#endif
};

/// How many of these functions, from the first on, the processor can run.
std::size_t count_usable() noexcept {
#ifdef POLYFORM_HAS_SETS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return 3;
  if (__builtin_cpu_supports("avx2")) return 2;
#endif
  return 1;
}

const LaneArithmetic& best_set = usable_lane_arithmetic().back();

}  // namespace

std::span<const LaneArithmetic> usable_lane_arithmetic() noexcept { return std::span(all_sets).first(count_usable()); }

void add_terms(std::size_t numbers, std::size_t lanes, const double* h, const double* y,
               std::span<const StageTerm> terms, double* out) noexcept {
  best_set.add_terms(numbers, lanes, h, y, terms, out);
}

void add_ends(std::size_t numbers, std::size_t lanes, const double* h, const double* y, std::span<const EndTerm> terms,
              double* out, double* error) noexcept {
  best_set.add_ends(numbers, lanes, h, y, terms, out, error);
}

void find_errors(std::size_t numbers, std::size_t lanes, const LaneTolerances& tolerances, const double* start,
                 const double* end, const LaneErrors& errors, double* largest) noexcept {
  best_set.find_errors(numbers, lanes, tolerances, start, end, errors, largest);
}

void copy_lanes(std::size_t numbers, std::size_t lanes, const double* marks, const double* from, double* to) noexcept {
  best_set.copy_lanes(numbers, lanes, marks, from, to);
}

void carry_rates(std::size_t lanes, const double* marks, const LaneQuaternions& all, double* rates,
                 double* trouble) noexcept {
  best_set.carry_rates(lanes, marks, all, rates, trouble);
}

void normalize(std::size_t lanes, std::span<const std::size_t> places, double* y, double* residuals) noexcept {
  best_set.normalize(lanes, places, y, residuals);
}

}  // namespace polyform::runge_kutta
