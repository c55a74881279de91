// Spatial vectors as six numbers: angular, linear.
#pragma once

#include <algorithm>
#include <cmath>

#include "polyform/contract/spatial.hpp"

namespace polyform::absolute {

inline Spatial load(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
inline void store(const Spatial& s, double* x) {
  x[0] = s.angular.x;
  x[1] = s.angular.y;
  x[2] = s.angular.z;
  x[3] = s.linear.x;
  x[4] = s.linear.y;
  x[5] = s.linear.z;
}
/// Largest magnitude among the components.
inline double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

}  // namespace polyform::absolute
