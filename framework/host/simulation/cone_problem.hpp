// Forces of contact with friction, or impulses: a complementarity problem with cones. Nothing here knows mechanics.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace polyform::host::inline simulation {

/// Points with three rows each, the normal and two tangents. With the rates r = b + W λ of the rows it asks, point
/// after point, for
///
///   λ_n − least ≥ 0,  r_n ≥ 0,  (λ_n − least) r_n = 0
///   |λ_t| ≤ bound, and λ_t against r_t with |λ_t| = bound where r_t is not zero
///
/// bound: a share of λ_n, or for a point without a normal a number. A point that slides has λ_t = −bound · direction.
struct ConeProblem {
  struct Point {
    bool has_normal = true;
    std::size_t tangents = 2;
    double friction = 0;  ///< share, or bound
    double least = 0;     ///< of λ_n
    bool slides = false;
    double direction[2] = {0, 0};

    double bound(double normal) const { return has_normal ? friction * normal : friction; }
  };
  std::vector<Point> points;
  Eigen::MatrixXd W;  ///< 3 points × 3 points; rows that a point has not are zero
  Eigen::VectorXd b;

  /// λ by Gauss and Seidel's method with projection, from what it is. Whether it has converged to rounding; where W has
  /// a null space, to one of many.
  bool solve(Eigen::VectorXd& lambda) const;
};

}  // namespace polyform::host::inline simulation
