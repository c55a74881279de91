#include "foreshortening.hpp"

namespace polyform::flexible {

SlopeProducts::SlopeProducts(std::span<const BeamMode> modes, double end) {
  const std::size_t m = modes.size();
  for (auto* of_pairs : {&plain, &rest, &moment}) of_pairs->resize(m * m);
  std::vector<double> slope(m);
  double fastest = 0;
  for (const BeamMode& mode : modes) fastest = std::max(fastest, mode.eigenvalue());
  integrate(fastest, end, [&](double xi, double weight) {
    for (std::size_t k = 0; k < m; ++k) slope[k] = modes[k].derivative(xi, 1);
    const double left = 1 - xi;
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        const double product = weight * slope[k] * slope[l];
        plain[k * m + l] += product;
        rest[k * m + l] += left * product;
        moment[k * m + l] += 0.5 * left * (1 + xi) * product;
      }
  });
  for (auto* of_pairs : {&plain, &rest, &moment})
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t l = 0; l < k; ++l) (*of_pairs)[l * m + k] = (*of_pairs)[k * m + l];
}

}  // namespace polyform::flexible
