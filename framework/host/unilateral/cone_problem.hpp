// Forces of contact with friction, or impulses: a complementarity problem with cones. Nothing here knows mechanics.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace polyform::host::inline unilateral {

/// Points with three rows each, the normal and two tangents. With the rates r = b + W λ of the rows it asks, point
/// after point, for
///
///   λ_n − least ≥ 0,  r_n ≥ 0,  (λ_n − least) r_n = 0
///   |λ_t| ≤ bound; if r_t is not zero, λ_t is opposite to r_t and |λ_t| = bound
///
/// bound: for a point with a normal, a share of λ_n; else a number. A point that slides has λ_t = −bound · direction.
struct ConeProblem {
  struct Point {
    bool has_normal = true;
    std::size_t tangents = 2;
    double friction = 0;  ///< the share, or the bound itself
    double least = 0;     ///< of λ_n
    bool slides = false;
    double direction[2] = {0, 0};

    double bound(double normal) const { return has_normal ? friction * normal : friction; }
  };
  std::vector<Point> points;
  Eigen::MatrixXd W;  ///< 3 points × 3 points; zero in rows that a point does not have
  Eigen::VectorXd b;

  /// Finds λ by Gauss and Seidel's method with projection, beginning at its value. True if it has converged to
  /// rounding; if W has a null space, λ is one of many solutions.
  bool solve(Eigen::VectorXd& lambda) const;
};

}  // namespace polyform::host::inline unilateral
