// Residuals with twice the digits.
#include <algorithm>

#include "residuals.hpp"

namespace polyform::hierarchy {

void Residuals::refine(std::span<const double> loads, std::span<const double> accelerations,
                       std::span<const double> multipliers) noexcept {
  const AbsoluteEquations& system = models_.system();
  for (std::size_t i = 0; i < system.blocks(); ++i) {
    const std::size_t first = system.offset(i), size = system.size(i);
    const double* x = accelerations.data() + first;
    DoubleDouble* left = fine_left_.data() + first;
    for (std::size_t k = 0; k < size; ++k) left[k] = loads[first + k];
    if (models_.inertia(i).rigid) {
      const Mat3 J = system.inertia(i).full();
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) left[r] -= DoubleDouble::product(J(r, c), x[c]);
        left[r + 3] -= DoubleDouble::product(models_.inertia(i).mass, x[r + 3]);
      }
    } else {
      const double* M = system.mass_matrix(i).data();
      for (std::size_t r = 0; r < size; ++r)
        for (std::size_t c = 0; c < size; ++c) left[r] -= DoubleDouble::product(M[r * size + c], x[c]);
    }
  }
  for (const Node& node : models_.nodes())
    for (const NodeRows& rows : node.rows)
      for (Index r = 0; r < rows.count; ++r) {
        const std::size_t row = system.first_row(rows.constraint) + static_cast<std::size_t>(r);
        const double lambda = multipliers[row];
        DoubleDouble right = system.right()[row];
        right -= DoubleDouble::product(node.noise[static_cast<std::size_t>(rows.first + r)], lambda);
        for (std::size_t i = 0; i < system.constrained_blocks(rows.constraint); ++i)
          models_.for_coefficients(rows, r, i, [&](std::size_t k, double a) {
            right -= DoubleDouble::product(a, accelerations[k]);
            fine_left_[k] += DoubleDouble::product(a, lambda);
          });
        right_[row] = static_cast<double>(right);
      }
  std::ranges::transform(fine_left_, load_residual_.begin(), [](const DoubleDouble& x) { return double(x); });
}

}  // namespace polyform::hierarchy
