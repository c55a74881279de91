// A body's inertia in the shape in which it is turned.
#pragma once

#include "polyform/mechanics/transfer.hpp"

namespace polyform {

/// moment: mass times the vector from P to the mass centre; J: inertia about P; all in the same axes.
Inertia<double> body_inertia(double mass, const Vec3& moment, const Sym3& J);

}  // namespace polyform
