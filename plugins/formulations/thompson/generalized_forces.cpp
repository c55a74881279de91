#include "generalized_forces.hpp"

#include <algorithm>

#include "polyform/mechanics/constraint.hpp"

namespace polyform::thompson {

GeneralizedForces::GeneralizedForces(const SystemView& view, const Reductions& reductions, const Vec3& origin)
    : view_(view),
      h2_(reductions.tree()),
      mass_(reductions.mass()),
      forces_(view, origin),
      loads_joints_(forces_.loads_joints()),
      wrenches_(view.frames()),
      efforts_(view.nv),
      Q_{BodyVectors(view.bodies.size()), std::vector<double>(h2_.size())} {
  for (const ModuleInstances& group : view.modules) loads_joints_ = loads_joints_ || !group.joints.empty();
}

Forces& GeneralizedForces::find(double t, const PlacedTree& tree, std::span<const double> x,
                                std::span<double> xdot) noexcept {
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const BodyData& body = view_.bodies[i];
    const BodyMotion& m = tree.bodies()[i];
    const Vec3 w = transpose_times(m.R, m.V.angular);
    Q_.bodies[i] = body.flexible == rigid ? stacked(body.mass * view_.gravity, -cross(w, body.inertia * w))
                                          : Vector6(Vector6::Zero());
  }
  if (h2_.size() > h2_.joint_coordinates()) std::fill(Q_.further.begin(), Q_.further.end(), 0.0);
  if (h2_.has_modes()) mass_.add_flexible_forces(tree, Q_);
  const ModuleSet& modules = tree.closing().modules();
  if (forces_.empty() && modules.empty()) return Q_;
  forces_.evaluate(t, tree.frames(), tree.q(), tree.v(), x, wrenches_, efforts_, xdot);
  for (const BodyIndex b : forces_.loaded_bodies()) add_wrench(tree, frame_of(b), wrenches_[at(b)]);
  for (const FrameIndex f : forces_.loaded_nodes()) add_wrench(tree, f, wrenches_[at(f)]);
  if (!modules.empty()) add_modules(tree);
  for (std::size_t j = 0; j < view_.joints.size() && loads_joints_; ++j)
    add_effort(tree, view_.joints[j], tree.motion_of_joint(j), efforts_.data() + view_.joints[j].v_offset);
  return Q_;
}

/// Forces within the modules, and what they apply to markers and joints.
void GeneralizedForces::add_modules(const PlacedTree& tree) noexcept {
  std::size_t variable = h2_.first_variable();
  for (const ModuleSet::Module& m : tree.closing().modules().modules()) {
    std::copy(m.f.begin(), m.f.end(), Q_.further.begin() + static_cast<std::ptrdiff_t>(variable));
    variable += m.variables;
    for (std::size_t k = 0; k < m.wrenches.size(); ++k) {
      const Spatial& w = m.wrenches[k];
      add_wrench(tree, m.rows.markers[k].frame, {w.angular + cross(m.rows.arms[k], w.linear), w.linear});
    }
    const double* effort = m.efforts.data();
    for (const JointIndex j : m.rows.joints)
      for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k) efforts_[view_.joints[at(j)].v_offset + k] += *effort++;
  }
}

/// A wrench on a frame about its origin.
void GeneralizedForces::add_wrench(const PlacedTree& tree, FrameIndex f, const Spatial& wrench) noexcept {
  if (is_ground(f)) return;
  Spatial w = wrench;
  std::size_t b = at(f);
  if (const std::size_t n = view_.bodies.size(); b >= n) {
    const std::size_t node = b - n;
    b = at(view_.nodes[node].body);
    w = {};
    tree.kinematics().nodes().add_wrench(node, tree.frames(), wrench, w, Q_.further.data() + h2_.modes(b).first);
  }
  Q_.bodies[b] += stacked(w.linear, transpose_times(tree.bodies()[b].R, w.angular - cross(h2_.center(b), w.linear)));
}

void GeneralizedForces::add_effort(const PlacedTree& tree, const JointData& joint, const JointMotion& motion,
                                   const double* effort) noexcept {
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const ConstraintRow w =
      constraint_row(joint, motion_of(joint.base_frame, tree.frames()), motion_of(joint.moving_frame, tree.frames()),
                     effort_wrench(motion, joint.nv, effort));
  add_wrench(tree, joint.moving_frame, w.moving);
  add_wrench(tree, joint.base_frame, w.base);
}

}  // namespace polyform::thompson
