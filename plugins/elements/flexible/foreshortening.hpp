// How much shorter a beam becomes along its axis where it bends: the displacement of second order.
//
// A beam that does not stretch and bends by w(x) has at x the axial displacement −½ ∫₀ˣ w'² ds. With w = Σ φ_k η_k this
// is ½ Σ Γ_kl(x) η_k η_l, Γ_kl(x) = −∫₀ˣ φ_k' φ_l' ds (Kane, Ryan and Banerjee 1987).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "beam_mode.hpp"

namespace polyform::flexible {

/// Calls f(ξ, weight) at the eight points of Gauss and Legendre between two ends, by rising ξ.
template <class F>
void integrate_panel(double from, double to, F& f) {
  // The right half of −1 … 1 (Abramowitz and Stegun 1964, Table 25.4).
  constexpr double places[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363},
                   weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  const double half = 0.5 * (to - from), middle = 0.5 * (from + to);
  for (std::size_t point = 4; point-- > 0;) f(middle - half * places[point], half * weights[point]);
  for (std::size_t point = 0; point < 4; ++point) f(middle + half * places[point], half * weights[point]);
}

/// Calls f(ξ, weight) at points that integrate products of two slopes of modes, whose largest eigenvalue is `fastest`,
/// over 0 ≤ ξ ≤ end to rounding: eight points of Gauss and Legendre in panels over which the fastest of the products
/// turns by two radians at most.
template <class F>
void integrate(double fastest, double end, F f) {
  const double panels = std::ceil(std::max(fastest, 1.0) * end) + 1;
  for (double panel = 0; panel < panels; ++panel) integrate_panel(end * panel / panels, end * (panel + 1) / panels, f);
}

/// ∫ f_k' f_l' dξ and ∫ (1 − ξ) f_k' f_l' dξ over 0 ≤ ξ ≤ end of all pairs of modes, m × m.
struct SlopeProducts {
  std::vector<double> plain, rest;
  SlopeProducts(std::span<const BeamMode> modes, double end);
};

/// ∫ (1 − ξ) f_k' f_l' dξ over the whole beam for its first modes, m × m. They depend on nothing else, so they are
/// found once and kept as long as the process runs. Empty when there are more modes than `most_kept_modes` or no
/// memory.
constexpr std::size_t most_kept_modes = 200;
std::span<const double> kept_slope_products(Boundary, std::size_t modes) noexcept;

/// A point of a quadrature over 0 ≤ ξ ≤ 1, and ∫ f_k' f_l' dξ up to it.
struct SlopeStation {
  double xi, weight;
  std::vector<double> plain;
};
/// The stations for all pairs of modes, by a quadrature that is exact to rounding for products of four of their slopes;
/// by rising ξ.
std::vector<SlopeStation> slope_stations(std::span<const BeamMode> modes);

}  // namespace polyform::flexible
