#include "body_inertia.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace polyform::hierarchy {
namespace {

/// Below this part of the body's size a moment of inertia counts as none: its inverse would drown the others' digits.
constexpr double least_inertia = 1e-5;

Sym3 symmetric(const Eigen::Matrix3d& m) { return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)}; }

/// Levers of the joints on each body, m.
std::vector<double> lengths(const SystemView& view) {
  std::vector<double> length(view.bodies.size());
  for (const JointData& joint : view.joints) {
    const auto lever = [&](BodyIndex b, const Vec3& point) {
      if (!is_ground(b)) length[at(b)] = std::max(length[at(b)], norm(point - view.bodies[at(b)].center_of_mass));
    };
    lever(joint.base, joint.p_base);
    lever(joint.moving, joint.p_moving);
  }
  return length;
}

}  // namespace

std::vector<BodyInertia> inertia_of_bodies(const SystemView& view) {
  std::vector<BodyInertia> all(view.bodies.size());
  const std::vector<double> length = lengths(view);
  double sum = 0, count = 0;
  for (const BodyData& body : view.bodies)
    if (body.mass > 0) {
      sum += body.mass;
      count += 1;
    }
  const double usual_mass = count > 0 ? sum / count : 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BodyData& body = view.bodies[i];
    BodyInertia& b = all[i];
    b.mass = body.mass;
    const double mass = body.mass > 0 ? body.mass : usual_mass;
    const Sym3& J = body.inertia;
    double size = std::max(0.5 * (J.xx + J.yy + J.zz), 1e-3 * mass * length[i] * length[i]);
    if (!(size > 0)) size = mass;
    b.turn = 1 / std::sqrt(size);
    b.move = 1 / std::sqrt(mass);
    Eigen::Matrix3d tensor;
    tensor << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(tensor);
    b.singular = !(body.mass > 0 && principal.eigenvalues()[0] > least_inertia * size);
    if (b.singular) continue;
    b.inverse_root = symmetric(principal.operatorInverseSqrt());
    const Eigen::Vector3d inverse = principal.eigenvalues().cwiseInverse();
    b.inverse = symmetric(principal.eigenvectors() * inverse.asDiagonal() * principal.eigenvectors().transpose());
  }
  return all;
}

}  // namespace polyform::hierarchy
