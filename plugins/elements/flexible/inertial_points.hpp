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

/// Coefficients of the functions in the basis: the number of points is the size of the basis. Those of one function at
/// all points stand side by side. A function is a sum of those vectors of the basis that were there when it was added,
/// so that only the first points have coefficients of it.
class InertialPoints {
 public:
  /// What belongs to one axis.
  struct Axis {
    std::size_t points = 0;            ///< the first ones; the others have no coefficients
    std::vector<double> place;         ///< u, one per point
    std::vector<double> shapes;        ///< Φ, m × points
    std::vector<double> second_order;  ///< Γ, m × m × points, symmetric in the modes; or none if all are zero
    bool moves = false;                ///< whether any mode does along this axis

    const double* shape(std::size_t k) const { return shapes.data() + k * points; }
  };

  InertialPoints() = default;
  /// With a basis by Gram and Schmidt. What of Γ is less than a rounding of its norm is left out.
  explicit InertialPoints(const SampledBody&);

  bool empty() const { return one_.empty(); }
  std::size_t size() const { return one_.size(); }
  /// Values of 1, scaled so that the sum of squares is the mass.
  std::span<const double> one() const { return one_; }
  const Axis& axis(std::size_t i) const { return axes_[i]; }

 private:
  std::vector<double> one_;
  std::array<Axis, 3> axes_;
};

}  // namespace polyform::flexible
