// What forces put on the bodies and joints, as wrenches on the bodies about their particle 1.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "moving_bodies.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::particles {

/// What acts at one state: wrenches on all bodies about the frame origins, without weight, of which those of the loaded
/// bodies count; efforts on the velocity coordinates of all joints.
struct Applied {
  std::span<const Spatial> wrenches;
  std::span<const double> efforts;
};

/// The forces of a system, and what they apply at the state last evaluated.
class ActingForces {
 public:
  /// origin: what positions count from. The view outlives the object.
  ActingForces(const SystemView& view, const Vec3& origin)
      : view_(view), forces_(view, origin), wrenches_(view.bodies.size()), efforts_(view.nv) {
    std::vector<bool> is_loaded(view.bodies.size());
    for (const BodyIndex b : forces_.loaded_bodies()) is_loaded[at(b)] = true;
    for (const ModuleInstances& group : view.modules)
      for (const ElementInstance& module : group.instances)
        for (const Marker& marker : module.markers)
          if (!is_ground(marker.body)) is_loaded[at(marker.body)] = true;
    for (std::size_t i = 0; i < is_loaded.size(); ++i)
      if (is_loaded[i]) loaded_.push_back(body_index(i));
  }
  const ForceSet& forces() const { return forces_; }
  /// Discrete states of all elements, as ForceSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { forces_.follow(discrete); }
  /// modules: evaluated at the same state, or none. xdot: rates of the first-order states.
  Applied evaluate(double t, const PlacedBodies& placed, const JointValues& joints, const ModuleSet* modules,
                   std::span<double> xdot) noexcept {
    for (const BodyIndex b : loaded_) wrenches_[at(b)] = {};
    forces_.evaluate(t, placed.motions, joints.q, joints.v, joints.x, wrenches_, efforts_, xdot);
    if (modules != nullptr) add_modules(*modules);
    return applied();
  }
  /// Bodies whose wrenches count.
  std::span<const BodyIndex> loaded_bodies() const { return loaded_; }
  Applied applied() const { return {wrenches_, efforts_}; }

 private:
  void add_modules(const ModuleSet& modules) noexcept {
    for (const ModuleSet::Module& m : modules.modules()) {
      for (std::size_t k = 0; k < m.wrenches.size(); ++k) {
        const Spatial& w = m.wrenches[k];
        if (const BodyIndex b = m.rows.markers[k].body; !is_ground(b))
          wrenches_[at(b)] += Spatial{w.angular + cross(m.rows.arms[k], w.linear), w.linear};
      }
      const double* effort = m.efforts.data();
      for (const JointIndex j : m.rows.joints)
        for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k)
          efforts_[view_.joints[at(j)].v_offset + k] += *effort++;
    }
  }

  const SystemView& view_;
  ForceSet forces_;
  std::vector<BodyIndex> loaded_;
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_;
};

/// Takes a wrench about the frame origin of a body to its particle 1.
inline Spatial about_first(const PlacedBodies& placed, const ParticleBody& body, std::size_t i, const Spatial& wrench) {
  const Vec3 from_origin = placed.positions[body.particle[0]] - placed.motions[i].p;
  return {wrench.angular - cross(from_origin, wrench.linear), wrench.linear};
}

/// Calls add(body, wrench about its particle 1) for all that acts; constraint_of(joint): as evaluated.
template <class ConstraintOf, class Add>
void each_load(const SystemView& view, const Layout& layout, const MovingBodies& bodies, const Applied& applied,
               const ConstraintOf& constraint_of, const Add& add) noexcept {
  const PlacedBodies& placed = bodies.placed();
  const auto apply = [&](BodyIndex b, const Spatial& w) {
    if (!is_ground(b)) add(at(b), about_first(placed, layout.bodies[at(b)], at(b), w));
  };
  for (const BodyIndex b : bodies.loaded()) apply(b, applied.wrenches[at(b)]);
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    if (!bodies.finds(j)) continue;
    const JointData& joint = view.joints[j];
    const double* effort = applied.efforts.data() + joint.v_offset;
    if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) continue;
    const ConstraintRow w =
        constraint_row(joint, motion_of(joint.base, placed.motions), motion_of(joint.moving, placed.motions),
                       effort_wrench(constraint_of(j).motion, joint.nv, effort));
    apply(joint.moving, w.moving);
    apply(joint.base, w.base);
  }
}

}  // namespace polyform::particles
