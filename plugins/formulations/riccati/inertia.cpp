#include "inertia.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace polyform::riccati {

Inertia<double> body_inertia(double mass, const Vec3& moment, const Sym3& J) {
  Eigen::Matrix3d tensor;
  tensor << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(tensor);  // moments in rising order
  const Eigen::Vector3d& moments = principal.eigenvalues();
  const Eigen::Vector3d a = std::sqrt(moments[2] - moments[1]) * principal.eigenvectors().col(2);
  const Eigen::Vector3d b = std::sqrt(moments[1] - moments[0]) * principal.eigenvectors().col(0);
  return {mass, moments[1], moment, {a.x(), a.y(), a.z()}, {b.x(), b.y(), b.z()}};
}

}  // namespace polyform::riccati
