// Sums of stages in all lanes. Number i of lane k stands at i · lanes + k.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <vector>

namespace polyform::runge_kutta {

/// Places memory at whole cache lines: a register of eight numbers that lies across two of them is read and written
/// twice.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* from, std::size_t) noexcept { ::operator delete(from, line); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) noexcept { return true; }
};
/// Numbers of all lanes.
using LaneNumbers = std::vector<double, LineAllocator<double>>;

/// What is added up: factor · rates.
struct StageTerm {
  double factor;
  const double* rates;
};

/// out = y + h Σ terms, of so many numbers in so many lanes; h: one per lane. y may be nullptr, for zero.
void add_terms(std::size_t numbers, std::size_t lanes, const double* h, const double* y,
               std::span<const StageTerm> terms, double* out) noexcept;

/// What is added up at the end of a step: in its state and in its error.
struct EndTerm {
  double factor, in_error;
  const double* rates;
};
/// out = y + h Σ factor · rates and error = Σ in_error · rates, which are read once for both.
void add_ends(std::size_t numbers, std::size_t lanes, const double* h, const double* y, std::span<const EndTerm> terms,
              double* out, double* error) noexcept;

/// Errors of a step: h (sum + factor · rates); h: one per lane.
struct LaneErrors {
  const double *h, *sum;
  double factor;
  const double* rates;
};
/// The tolerances of lanes, one number each.
struct LaneTolerances {
  const double *absolute, *relative;
};
/// The largest error of each lane in units of its tolerance, absolute + relative · the larger |y|; NaN if an error or
/// a number at the end of the step is not finite.
void find_errors(std::size_t numbers, std::size_t lanes, const LaneTolerances& tolerances, const double* start,
                 const double* end, const LaneErrors& errors, double* largest) noexcept;
/// to = from in the lanes that are marked by 1, the others by 0.
void copy_lanes(std::size_t numbers, std::size_t lanes, const double* marks, const double* from, double* to) noexcept;

/// The numbers of quaternions that begin at these places.
struct LaneQuaternions {
  std::span<const std::size_t> places;
  const double *before, *after;  ///< a correction of their lengths
};
/// rates of quaternions before a correction become those after it, in the lanes that are marked by 1, the others by 0.
/// trouble: of each lane zero, or NaN if that is not possible.
void carry_rates(std::size_t lanes, const double* marks, const LaneQuaternions&, double* rates,
                 double* trouble) noexcept;

/// Brings quaternions that begin at these places to the length 1, in all lanes. residuals: of each lane the largest
/// | length − 1 | before, or NaN if one of them has no length.
void normalize(std::size_t lanes, std::span<const std::size_t> places, double* y, double* residuals) noexcept;

/// The functions as they are built for one instruction set.
struct LaneArithmetic {
  std::string_view instruction_set;
  decltype(&runge_kutta::add_terms) add_terms;
  decltype(&runge_kutta::add_ends) add_ends;
  decltype(&runge_kutta::find_errors) find_errors;
  decltype(&runge_kutta::copy_lanes) copy_lanes;
  decltype(&runge_kutta::carry_rates) carry_rates;
  decltype(&runge_kutta::normalize) normalize;
};
/// Those that this processor can run; the last is the one that the functions above take.
std::span<const LaneArithmetic> usable_lane_arithmetic() noexcept;

}  // namespace polyform::runge_kutta
