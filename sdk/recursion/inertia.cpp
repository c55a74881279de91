#include "inertia.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace polyform {

Inertia<double> body_inertia(double mass, const Vec3& moment, const Sym3& J) {
  Eigen::Matrix3d tensor;
  tensor << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(tensor);  // moments in rising order
  const Eigen::Vector3d& moments = principal.eigenvalues();
  // Below this part of the largest a moment is rounding: a rod without thickness has none about its axis.
  constexpr double rounding = 1e-15;
  const double least = moments[0] > rounding * moments[2] ? moments[0] : 0;
  const auto along = [&](Eigen::Index k) -> Vec3 {
    const Eigen::Vector3d v = std::sqrt(std::max(moments[k] - least, 0.0)) * principal.eigenvectors().col(k);
    return {v.x(), v.y(), v.z()};
  };
  return {mass, least, moment, along(1), along(2)};
}

}  // namespace polyform
