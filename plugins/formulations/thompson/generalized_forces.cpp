#include "generalized_forces.hpp"

#include <algorithm>

#include "polyform/mechanics/constraint.hpp"

namespace polyform::thompson {

GeneralizedForces::GeneralizedForces(const SystemView& view, const H2& h2, const Vec3& origin)
    : view_(view),
      h2_(h2),
      forces_(view, origin),
      loads_joints_(forces_.loads_joints()),
      wrenches_(view.bodies.size()),
      efforts_(view.nv),
      Q_(view.bodies.size()) {}

BodyVectors& GeneralizedForces::find(double t, const PlacedTree& tree, std::span<const double> x,
                                     std::span<double> xdot) noexcept {
  for (std::size_t i = 0; i < Q_.size(); ++i) {
    const BodyData& body = view_.bodies[i];
    const BodyMotion& m = tree.bodies()[i];
    const Vec3 w = transpose_times(m.R, m.V.angular);
    Q_[i] = stacked(body.mass * view_.gravity, -cross(w, body.inertia * w));
  }
  if (forces_.empty()) return Q_;
  forces_.evaluate(t, tree.bodies(), tree.q(), tree.v(), x, wrenches_, efforts_, xdot);
  for (const BodyIndex b : forces_.loaded_bodies()) add_wrench(tree, b, wrenches_[at(b)]);
  for (std::size_t j = 0; j < view_.joints.size() && loads_joints_; ++j)
    add_effort(tree, view_.joints[j], tree.motion_of_joint(j), efforts_.data() + view_.joints[j].v_offset);
  return Q_;
}

void GeneralizedForces::add_wrench(const PlacedTree& tree, BodyIndex b, const Spatial& w) noexcept {
  if (is_ground(b)) return;
  Q_[at(b)] +=
      stacked(w.linear, transpose_times(tree.bodies()[at(b)].R, w.angular - cross(h2_.center(at(b)), w.linear)));
}

void GeneralizedForces::add_effort(const PlacedTree& tree, const JointData& joint, const JointMotion& motion,
                                   const double* effort) noexcept {
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const ConstraintRow w =
      constraint_row(joint, motion_of(joint.base, tree.bodies()), motion_of(joint.moving, tree.bodies()),
                     effort_wrench(motion, joint.nv, effort));
  add_wrench(tree, joint.moving, w.moving);
  add_wrench(tree, joint.base, w.base);
}

}  // namespace polyform::thompson
