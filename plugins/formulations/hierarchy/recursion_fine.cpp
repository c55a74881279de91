// Residuals with twice the digits.
#include <algorithm>

#include "recursion_detail.hpp"

namespace polyform::hierarchy {

/// Finds the residuals of find_residual() again, of M α − f − Aᵀλ and of A α − b, without the rounding of its sums:
/// next to heavy bodies that rounding makes motions with next to no inertia. The data are taken as they are.
void Recursion::refine_residual(std::span<const double> loads) noexcept {
  for (std::size_t i = 0; i < system_.blocks(); ++i) {
    const std::size_t first = system_.offset(i), size = system_.size(i);
    const double* x = total_accelerations_.data() + first;
    DoubleDouble* left = fine_left_.data() + first;
    for (std::size_t k = 0; k < size; ++k) left[k] = loads[first + k];
    if (inertia_[i].rigid) {
      const Mat3 J = system_.inertia(i).full();
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) left[r] -= DoubleDouble::product(J(r, c), x[c]);
        left[r + 3] -= DoubleDouble::product(inertia_[i].mass, x[r + 3]);
      }
    } else {
      const double* M = system_.mass_matrix(i).data();
      for (std::size_t r = 0; r < size; ++r)
        for (std::size_t c = 0; c < size; ++c) left[r] -= DoubleDouble::product(M[r * size + c], x[c]);
    }
  }
  for (const Node& node : nodes_)
    for (const Rows& rows : node.rows)
      for (Index r = 0; r < rows.count; ++r) {
        const std::size_t row = system_.first_row(rows.constraint) + static_cast<std::size_t>(r);
        const double lambda = total_multipliers_[row];
        DoubleDouble right = system_.right()[row];
        right -= DoubleDouble::product(node.noise[static_cast<std::size_t>(rows.first + r)], lambda);
        for (std::size_t i = 0; i < system_.constrained_blocks(rows.constraint); ++i)
          for_coefficients(rows, r, i, [&](std::size_t k, double a) {
            right -= DoubleDouble::product(a, total_accelerations_[k]);
            fine_left_[k] += DoubleDouble::product(a, lambda);
          });
        right_[row] = static_cast<double>(right);
      }
  std::ranges::transform(fine_left_, load_residual_.begin(), [](const DoubleDouble& x) { return double(x); });
}

}  // namespace polyform::hierarchy
