// Sums of stages in all lanes. Number i of lane k stands at i · lanes + k.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace polyform::runge_kutta {

/// What is added up: factor · rates.
struct StageTerm {
  double factor;
  const double* rates;
};

/// out = y + h Σ terms, of so many numbers in so many lanes; h: one per lane. y may be nullptr, for zero.
void add_terms(std::size_t numbers, std::size_t lanes, const double* h, const double* y,
               std::span<const StageTerm> terms, double* out) noexcept;

/// The tolerances of lanes, one number each.
struct LaneTolerances {
  const double *absolute, *relative;
};
/// The largest error of each lane in units of its tolerance, absolute + relative · the larger |y|; NaN if an error or
/// a number at the end of the step is not finite.
void find_errors(std::size_t numbers, std::size_t lanes, const LaneTolerances& tolerances, const double* start,
                 const double* end, const double* error, double* largest) noexcept;
/// to = from in the lanes that are marked by 1, the others by 0.
void copy_lanes(std::size_t numbers, std::size_t lanes, const double* marks, const double* from, double* to) noexcept;

/// The three functions as they are built for one instruction set.
struct LaneArithmetic {
  std::string_view instruction_set;
  decltype(&runge_kutta::add_terms) add_terms;
  decltype(&runge_kutta::find_errors) find_errors;
  decltype(&runge_kutta::copy_lanes) copy_lanes;
};
/// Those that this processor can run; the last is the one that the functions above take.
std::span<const LaneArithmetic> usable_lane_arithmetic() noexcept;

}  // namespace polyform::runge_kutta
