#include "foreshortening.hpp"

#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace polyform::flexible {
namespace {

double largest_eigenvalue(std::span<const BeamMode> modes) {
  double fastest = 0;
  for (const BeamMode& mode : modes) fastest = std::max(fastest, mode.eigenvalue());
  return fastest;
}

/// Adds the slopes' products at ξ, times a factor, to the half of m × m with l ≤ k.
class ProductSum {
 public:
  explicit ProductSum(std::span<const BeamMode> modes) : modes_(modes), slope_(modes.size()) {}
  void add(double xi, double factor, std::vector<double>& sum) {
    const std::size_t m = modes_.size();
    for (std::size_t k = 0; k < m; ++k) slope_[k] = modes_[k].derivative(xi, 1);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l <= k; ++l) sum[k * m + l] += factor * slope_[k] * slope_[l];
  }
  void mirror(std::vector<double>& sum) const {
    const std::size_t m = modes_.size();
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l < k; ++l) sum[l * m + k] = sum[k * m + l];
  }

 private:
  std::span<const BeamMode> modes_;
  std::vector<double> slope_;
};

}  // namespace

SlopeProducts::SlopeProducts(std::span<const BeamMode> modes, double end)
    : plain(modes.size() * modes.size()), rest(plain.size()) {
  ProductSum products(modes);
  integrate(largest_eigenvalue(modes), end, [&](double xi, double weight) {
    products.add(xi, weight, plain);
    products.add(xi, weight * (1 - xi), rest);
  });
  products.mirror(plain);
  products.mirror(rest);
}

std::span<const double> kept_slope_products(Boundary boundary, std::size_t modes) noexcept {
  static std::mutex mutex;
  static std::map<std::pair<Boundary, std::size_t>, std::vector<double>> kept;
  if (modes > most_kept_modes) return {};
  const std::lock_guard lock(mutex);
  try {
    const auto [found, is_new] = kept.try_emplace({boundary, modes});
    if (!is_new) return found->second;
    std::vector<BeamMode> all;
    for (std::size_t k = 0; k < modes; ++k) all.push_back({boundary, k});
    found->second = SlopeProducts(all, 1).rest;
    return found->second;
  } catch (const std::bad_alloc&) {
    kept.erase({boundary, modes});
    return {};
  }
}

std::vector<SlopeStation> slope_stations(std::span<const BeamMode> modes) {
  std::vector<SlopeStation> stations;
  ProductSum products(modes);
  std::vector<double> sum(modes.size() * modes.size());
  double from = 0;
  // Twice the eigenvalue, because products of four slopes turn twice as fast as products of two.
  integrate(2 * largest_eigenvalue(modes), 1, [&](double xi, double weight) {
    const auto add = [&](double at, double w) { products.add(at, w, sum); };
    integrate_panel(from, xi, add);
    from = xi;
    stations.push_back({xi, weight, sum});
    products.mirror(stations.back().plain);
  });
  return stations;
}

}  // namespace polyform::flexible
