// Sums of stages in all lanes. Number i of lane k stands at i · lanes + k.
#pragma once

#include <cstddef>
#include <span>

namespace polyform::runge_kutta {

/// What is added up: factor · rates.
struct StageTerm {
  double factor;
  const double* rates;
};

/// out = y + h Σ terms, of so many numbers in so many lanes; h: one per lane. y may be nullptr, for zero.
void add_terms(std::size_t numbers, std::size_t lanes, const double* h, const double* y, std::span<const StageTerm> terms,
               double* out) noexcept;

/// The tolerances of lanes, one number each.
struct LaneTolerances {
  const double *absolute, *relative;
};
/// The largest error of each lane in units of its tolerance, absolute + relative · the larger |y|; NaN where an error or
/// a number at the end of the step is not finite.
void find_errors(std::size_t numbers, std::size_t lanes, const LaneTolerances& tolerances, const double* start,
                 const double* end, const double* error, double* largest) noexcept;
/// to = from in the lanes that are marked by 1, the others by 0.
void copy_lanes(std::size_t numbers, std::size_t lanes, const double* marks, const double* from, double* to) noexcept;

}  // namespace polyform::runge_kutta
