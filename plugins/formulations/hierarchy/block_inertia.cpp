#include "block_inertia.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/light_bodies.hpp"
#include "polyform/solvers/singular_inertia.hpp"

namespace polyform::hierarchy {
namespace {

/// A moment of inertia below this part of the body's size counts as zero: its inverse would cost the others' digits.
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

/// A block with a full mass matrix, rows first; frame: its first unknowns are those of a body's frame.
BlockInertia inertia_of(std::span<const double> mass, bool frame) {
  BlockInertia b;
  b.rigid = false;
  const auto size = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(mass.size()))));
  if (frame) b.mass = mass[3 * (size + 1)];
  std::vector<double> largest(size);  // turning is compared with turning, moving with moving
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t first = !frame || k >= 6 ? k : k - k % 3, end = !frame || k >= 6 ? k + 1 : first + 3;
    for (std::size_t i = first; i < end; ++i) largest[k] = std::max(largest[k], mass[i * (size + 1)]);
    b.units.push_back(largest[k] > 0 ? 1 / std::sqrt(largest[k]) : 1);
  }
  if (size == 0) return b;  // a module without variables
  Eigen::MatrixXd scaled(size, size);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c)
      scaled(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = mass[r * size + c] * b.units[r] * b.units[c];
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal(scaled, Eigen::EigenvaluesOnly);
  b.singular = !(principal.eigenvalues()[0] > least_inertia);
  return b;
}

/// Mass matrices of flexible bodies and modules as drawn, at rest.
void add_full_blocks(const SystemView& view, std::vector<BlockInertia>& all) {
  std::vector<double> q(view.nq), v(view.nv), still(view.modes), x(view.states);
  for (const JointData& joint : view.joints) joint_neutral(joint, q.data() + joint.q_offset);
  TreeKinematics tree(view);
  tree.evaluate(q.data(), v.data(), still.data(), still.data());
  FlexibleSet flexible(view);
  ModuleSet modules(view);
  if (!flexible.good() || !modules.good()) return;  // the solver will report the failure
  flexible.evaluate(tree.bodies(), still.data(), still.data());
  for (std::size_t f = 0; f < view.flexible.size(); ++f)
    all[at(view.flexible[f].body)] = inertia_of(flexible.mass(f), true);
  modules.initial_states(x);
  modules.evaluate(0, tree.frames(), q, v, x);
  for (const ModuleSet::Module& m : modules.modules()) all.push_back(inertia_of(m.M, false));
}

std::vector<bool> find_light(const SystemView& view, const std::vector<BlockInertia>& all,
                             std::span<const LevelConstraint> constraints) {
  std::vector<double> mass(view.bodies.size());
  for (std::size_t i = 0; i < mass.size(); ++i) mass[i] = all[i].mass;
  std::vector<std::vector<std::size_t>> bodies;
  for (const LevelConstraint& constraint : constraints) {
    if (constraint.rows == 0) continue;
    std::vector<std::size_t>& constrained = bodies.emplace_back();
    std::copy_if(constraint.blocks.begin(), constraint.blocks.end(), std::back_inserter(constrained),
                 [&](std::size_t b) { return b < mass.size(); });
  }
  return light_bodies(mass, bodies);
}

/// Sets the inertia of a rigid body. length: of its levers; reach: of the largest body, which replaces levers that are
/// almost zero; usual_mass: replaces a mass that is almost zero.
void set_rigid(const BodyData& body, double length, double reach, double usual_mass, bool light, BlockInertia& b) {
  const bool massless = light || !(body.mass > 0);
  const double mass = massless ? usual_mass : body.mass;
  const Sym3& J = body.inertia;
  double size = std::max(0.5 * (J.xx + J.yy + J.zz), least_inertia_share * mass * length * length);
  const double usual = mass * reach * reach;
  if (!(size > (light ? negligible_mass * usual : 0))) size = usual;
  b.turn = 1 / std::sqrt(size);
  b.move = 1 / std::sqrt(mass);
  Eigen::Matrix3d tensor;
  tensor << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(tensor);
  b.singular = massless || !(principal.eigenvalues()[0] > least_inertia * size);
  if (b.singular) return;
  b.inverse_root = symmetric(principal.operatorInverseSqrt());
  const Eigen::Vector3d inverse = principal.eigenvalues().cwiseInverse();
  b.inverse = symmetric(principal.eigenvectors() * inverse.asDiagonal() * principal.eigenvectors().transpose());
}

}  // namespace

std::vector<BlockInertia> inertia_of_blocks(const SystemView& view, std::span<const LevelConstraint> constraints) {
  std::vector<BlockInertia> all(view.bodies.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].mass = view.bodies[i].mass;
  if (!view.flexible.empty() || !view.modules.empty()) add_full_blocks(view, all);
  const std::vector<bool> light = find_light(view, all, constraints);
  const std::vector<double> length = lengths(view);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (all[i].mass > 0 && !light[i]) {
      sum += all[i].mass;
      count += 1;
    }
  const double usual_mass = count > 0 ? sum / count : 1, reach = SystemScales(view).largest_reach();
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (all[i].rigid) set_rigid(view.bodies[i], length[i], reach, usual_mass, light[i], all[i]);
  return all;
}

}  // namespace polyform::hierarchy
