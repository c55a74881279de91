// Sums of stages in all lanes. Number i of lane k stands at i · lanes + k.
#pragma once

#include <cstddef>
#include <span>

namespace polyform::runge_kutta {

/// What is added up: factor · rates.
struct Term {
  double factor;
  const double* rates;
};

/// out = y + h Σ terms, of so many numbers in so many lanes; h: one per lane. y may be nullptr, for zero.
void add_terms(std::size_t numbers, std::size_t lanes, const double* h, const double* y, std::span<const Term> terms,
               double* out) noexcept;

}  // namespace polyform::runge_kutta
