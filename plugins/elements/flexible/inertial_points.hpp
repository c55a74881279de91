// The inertia of a flexible body whose points have displacements of second order, as that of a few points.
//
// All that the kinetic energy T = ½ ∫|v + Ω × ρ + ρ̇|² dm of ρ = u + Φ η + ½ Γ[η, η] depends on are integrals of
// products of two of the functions 1, u, Φ_k and Γ_kl over the body. With b_a a basis of the space of these functions,
// ∫b_a b_b dm = 1 for a = b and else 0, they are sums over a of products of coefficients. So the body has the inertia
// of as many points of unit mass, and its mass matrix is a sum of squares: positive semidefinite at any η.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "modal_matrix.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform::flexible {

/// A body by samples: its places u, displacements and displacements of second order at points with masses.
struct SampledBody {
  struct Sample {
    double mass;                                      ///< or mass times the weight of a quadrature, kg
    Vec3 place;                                       ///< u, m
    std::vector<Vec3> shapes;                         ///< Φ, one per mode
    std::array<std::vector<double>, 3> second_order;  ///< Γ along each axis, m × m, or none if all are zero
  };
  std::vector<Sample> samples;
  std::size_t modes = 0;
};

/// Coefficients of the functions in the basis: the number of points is the size of the basis.
class InertialPoints {
 public:
  InertialPoints() = default;
  /// With a basis by Gram and Schmidt. What of Γ is less than a rounding of its norm is left out.
  explicit InertialPoints(const SampledBody&);

  bool empty() const { return points_.empty(); }
  /// Values of 1, scaled so that the sum of squares is the mass; of u; of Φ along an axis (m, or none: all zero); of Γ
  /// along an axis.
  struct Point {
    double one;
    Vec3 place;
    std::array<std::vector<double>, 3> shapes;
    std::array<ModalMatrix, 3> second_order;
  };
  std::span<const Point> points() const { return points_; }

 private:
  std::vector<Point> points_;
};

}  // namespace polyform::flexible
