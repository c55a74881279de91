#include "framework/host/unilateral/cone_problem.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline unilateral {

using Eigen::Index;

bool ConeProblem::solve(Eigen::VectorXd& lambda) const {
  // Rows differ in unit: each change counts as the change of rate that it makes by itself.
  constexpr int most_sweeps = 20000;
  constexpr double rounding = 1e-15;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0, size = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Point& point = points[p];
      const Index n = static_cast<Index>(3 * p);
      const auto rate = [&](Index row) { return b[row] + W.row(row).dot(lambda); };
      const auto take = [&](Index row, double value) {
        change = std::max(change, std::abs(value - lambda[row]) * W(row, row));
        size = std::max(size, std::max(std::abs(b[row]), std::abs(value) * W(row, row)));
        lambda[row] = value;
      };
      if (point.has_normal && W(n, n) > 0) take(n, std::max(point.least, lambda[n] - rate(n) / W(n, n)));
      if (point.tangents == 0) continue;
      const double bound = point.bound(lambda[n]);
      double wanted[2] = {0, 0};
      // One step length for both tangents: the force goes against the rate.
      double stiffest = 0;
      for (std::size_t i = 0; i < point.tangents; ++i)
        stiffest = std::max(stiffest, W(n + 1 + static_cast<Index>(i), n + 1 + static_cast<Index>(i)));
      for (std::size_t i = 0; i < point.tangents; ++i) {
        const Index row = n + 1 + static_cast<Index>(i);
        if (point.slides)
          wanted[i] = -bound * point.direction[i];
        else if (stiffest > 0)
          wanted[i] = lambda[row] - rate(row) / stiffest;
      }
      const double length = std::hypot(wanted[0], wanted[1]);
      const double share = !point.slides && length > bound ? (length > 0 ? bound / length : 0) : 1;
      for (std::size_t i = 0; i < point.tangents; ++i) take(n + 1 + static_cast<Index>(i), share * wanted[i]);
    }
    if (!(change > rounding * size)) return true;
    if (!std::isfinite(change)) return false;
  }
  return false;
}

}  // namespace polyform::host::inline unilateral
