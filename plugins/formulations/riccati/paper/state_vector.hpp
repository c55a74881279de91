// The state vector of a connection point (Rui et al. 2020, Eqs 1, 2 and, reduced to the plane, Eq 35).
//
//   z = [r̈ Ω̇ m q 1]    acceleration of the point, angular acceleration, cutting moment and force, ground axes
//
// Sign rule of the paper: at an input end forces are positive along the axes and moments about the negative axes; at an
// output end it is the other way round. So an element puts the force q and the moment −m on the element that follows
// its output end, and what follows puts −q and m on it: wrench_before().
#pragma once

#include <Eigen/Dense>

#include "polyform/contract/spatial.hpp"

namespace polyform::riccati::paper {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Numbers of translations and rotations that a state vector carries, and where its parts begin.
struct Layout {
  Index linear, angular;

  constexpr Index half() const { return linear + angular; }
  constexpr Index r() const { return 0; }
  constexpr Index omega() const { return linear; }
  constexpr Index m() const { return half(); }
  constexpr Index q() const { return half() + angular; }
  constexpr Index one() const { return 2 * half(); }
  constexpr Index size() const { return 2 * half() + 1; }
  /// Size of the state of the inputs of a body with that many of them (Eq 6): the first in full, of the others m and q.
  constexpr Index extended_size(Index inputs) const { return size() + (inputs - 1) * half(); }
  /// Where m and q of input k (from 0) begin in it.
  constexpr Index m(Index k) const { return m() + k * half(); }
  constexpr Index q(Index k) const { return q() + k * half(); }
};
inline constexpr Layout space{3, 3};  ///< Eq 1, 13 elements
inline constexpr Layout plane{2, 1};  ///< Eq 35, 7 elements: the x–y plane

inline Eigen::Vector3d to_eigen(const Vec3& a) { return {a.x, a.y, a.z}; }
inline Eigen::Matrix3d to_eigen(const Mat3& a) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(a.m);
}
inline Vec3 to_vec3(const Eigen::Ref<const Eigen::Vector3d>& a) { return {a[0], a[1], a[2]}; }

/// −r̃ reduced to the layout: acceleration at r from Ω̇, linear × angular.
Matrix lever(const Layout&, const Vec3& r);
/// The translations of a vector in the layout.
Vector translation(const Layout&, const Vec3& a);

/// A spatial (extended) transfer matrix, with the rows and columns of the plane alone: 1, 2, 6, 9, 10, 11, 13 of the
/// paper's counting for a single input. What the reduced rows lose must not matter: a motion in the x–y plane.
Matrix reduce_to_plane(const Matrix& U);

/// The wrench on the element before the connection point (towards the tip), about that point, from z_a = (m, q) of a
/// spatial state: the one conversion between the paper's signs and the solver's wrenches.
template <class Za>
Spatial wrench_before(const Za& z_a) {
  return {{z_a[0], z_a[1], z_a[2]}, {-z_a[3], -z_a[4], -z_a[5]}};
}

}  // namespace polyform::riccati::paper
