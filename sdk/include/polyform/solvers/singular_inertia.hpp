// Inertias that are zero about some axis, or nearly so.
#pragma once

#include "polyform/contract/system_view.hpp"

namespace polyform {

constexpr double determinant(const Sym3& J) {
  return J.xx * (J.yy * J.zz - J.yz * J.yz) - J.xy * (J.xy * J.zz - J.xz * J.yz) + J.xz * (J.xy * J.yz - J.yy * J.xz);
}

/// Part of the cube of the trace of an inertia below which its determinant is rounding.
inline constexpr double least_determinant = 1e-14;
/// The least size of an inertia, relative to that of a body as large as its levers, m r².
inline constexpr double least_inertia_share = 1e-3;

/// Whether a body has no mass, or no inertia about some axis through the mass centre: rounding of the determinant of an
/// inertia is some 1e-16 of the cube of its trace.
inline bool is_singular(const BodyData& body) {
  const double trace = body.inertia.xx + body.inertia.yy + body.inertia.zz;
  return !(body.mass > 0) || !(determinant(body.inertia) > least_determinant * trace * trace * trace);
}

/// Whether all leading minors, by which a factorization divides, are more than 1e-9 in units of a moment of inertia.
constexpr bool is_definite_beside(const Sym3& J, double moment) {
  constexpr double least_minor = 1e-9;
  const double enough = least_minor * moment;
  return J.xx > enough && J.xx * J.yy - J.xy * J.xy > enough * moment && determinant(J) > enough * moment * moment;
}

}  // namespace polyform
