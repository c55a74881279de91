#include "polyform/mechanics/scale.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {
namespace {

/// Calls see(body, point in body axes) for all that joints and elements hold of the bodies.
template <class See>
void each_attachment(const SystemView& view, See&& see) {
  const auto at_frame = [&](FrameIndex f, const Vec3& point) {
    if (is_ground(f)) return;
    if (at(f) < view.bodies.size())
      see(at(f), point);
    else  // undeformed, a node is parallel to its body
      see(at(view.nodes[at(f) - view.bodies.size()].body), view.nodes[at(f) - view.bodies.size()].point + point);
  };
  for (const JointData& joint : view.joints) {
    at_frame(joint.base_frame, joint.p_base);
    at_frame(joint.moving_frame, joint.p_moving);
  }
  const auto of_groups = [&](const auto& groups) {
    for (const auto& group : groups)
      for (const ElementInstance& instance : group.instances)
        for (const Marker& marker : instance.markers) at_frame(marker.frame, marker.point);
  };
  of_groups(view.forces);
  of_groups(view.constraints);
  of_groups(view.modules);
}

/// What has so small a part of its neighbours' mass has no inertia to speak of.
constexpr double no_mass = 1e-8;
/// Attachments of such a body that lie nearer to each other than this part of a neighbour's size lie on one point:
/// their distance may be the rounding of a model's numbers.
constexpr double no_length = 1e-8;

}  // namespace

void Scale::include(const Scale& other) noexcept {
  force = std::max(force, other.force);
  moment = std::max(moment, other.moment);
  acceleration = std::max(acceleration, other.acceleration);
  angular_acceleration = std::max(angular_acceleration, other.angular_acceleration);
  energy = std::max(energy, other.energy);
}

SystemScales::SystemScales(const SystemView& view) : view_(view), sizes_(view.bodies.size()) {
  find_masses();
  find_reaches();
  for (Size& s : sizes_) {
    if (!(s.inertia > 0)) s.inertia = s.mass * s.reach * s.reach;
    largest_reach_ = std::max(largest_reach_, s.reach);
  }
  // Points on one place have no size: moments and turns are compared along a metre.
  if (!(largest_reach_ > 0)) largest_reach_ = 1;
}

void SystemScales::find_masses() {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const BodyData& body = view_.bodies[i];
    sizes_[i] = {body.mass, 0, 0.5 * (body.inertia.xx + body.inertia.yy + body.inertia.zz), body.center_of_mass};
  }
  std::vector<double> rest;
  for (const FlexibleData& flexible : view_.flexible) {
    Size& s = sizes_[at(flexible.body)];
    rest.assign(flexible.modes, 0.0);
    double mass = 0;
    Vec3 moment;
    flexible.type->mass_moment(*flexible.instance, rest, mass, moment);
    moment += s.mass * s.center;
    s.mass += mass;
    if (s.mass > 0) s.center = (1 / s.mass) * moment;
  }
}

void SystemScales::find_reaches() {
  std::vector<Vec3> sums(sizes_.size());
  std::vector<double> counts(sizes_.size());
  each_attachment(view_, [&](std::size_t b, const Vec3& point) {
    sums[b] += point;
    ++counts[b];
  });
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    Size& s = sizes_[i];
    if (!(s.mass > 0) && counts[i] > 0) s.center = (1 / counts[i]) * sums[i];
    if (s.mass > 0) s.reach = std::sqrt(s.inertia / s.mass);
  }
  each_attachment(view_, [&](std::size_t b, const Vec3& point) {
    sizes_[b].reach = std::max(sizes_[b].reach, norm(point - sizes_[b].center));
  });
  // Bodies that are welded together move as one and have one size, the largest. What has neither mass nor length worth
  // the name, a frame link, has none of its own.
  std::vector<double> masses(sizes_.size());
  for (std::size_t i = 0; i < sizes_.size(); ++i) masses[i] = sizes_[i].mass;
  const auto take = [&](const JointData& joint, BodyIndex b, BodyIndex other) {
    Size& own = sizes_[at(b)];
    const double length = sizes_[at(other)].reach, mass = masses[at(other)];
    const bool no_own = masses[at(b)] <= no_mass * mass && own.reach < no_length * length;
    if (joint.nv > 0 && !no_own) return;
    own.reach = std::max(own.reach, length);
    masses[at(b)] = std::max(masses[at(b)], mass);
  };
  const auto take_both = [&](const JointData& joint) {
    if (is_ground(joint.base) || is_ground(joint.moving)) return;
    take(joint, joint.base, joint.moving);
    take(joint, joint.moving, joint.base);
  };
  // In a tree, the sizes of the tips come to the roots first, and then to all.
  for (int round = 0; round < 2; ++round) {
    for (std::size_t j = view_.joints.size(); j-- > 0;) take_both(view_.joints[j]);
    for (const JointData& joint : view_.joints) take_both(joint);
  }
}

Scale SystemScales::of_body(std::size_t body, const BodyMotion& motion, const Spatial& load) const noexcept {
  const Size& s = sizes_[body];
  const double turning = dot(motion.V.angular, motion.V.angular), weight = norm(view_.gravity);
  const double force = norm(load.linear);
  const double moment = norm(load.angular - cross(motion.R * s.center, load.linear));
  Scale scale;
  scale.acceleration = weight + turning * s.reach + (s.mass > 0 ? force / s.mass : 0);
  scale.angular_acceleration =
      turning + (s.inertia > 0 ? moment / s.inertia : 0) + (s.reach > 0 ? scale.acceleration / s.reach : 0);
  scale.acceleration += s.inertia > 0 ? moment / s.inertia * s.reach : 0;
  scale.force = s.mass * (weight + turning * s.reach) + force;
  scale.moment = scale.force * s.reach + s.inertia * turning + moment;
  scale.energy = scale.moment;  // all of it, along one reach or one radian
  return scale;
}

Scale SystemScales::of_system(std::span<const BodyMotion> frames, std::span<const Spatial> loads) const noexcept {
  Scale scale;
  double energy = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const Scale own = of_body(i, frames[i], loads.empty() ? Spatial{} : loads[i]);
    energy += own.energy;
    scale.include(own);
  }
  for (std::size_t i = 0; i < view_.joints.size(); ++i) {
    const JointData& joint = view_.joints[i];
    const BodyMotion &base = motion_of(joint.base, frames), &moving = motion_of(joint.moving, frames);
    const double turning = norm(base.V.angular);
    if (turning == 0) continue;
    const Vec3 arm = moving.p - base.p;
    const Vec3 slip = moving.V.linear - base.V.linear - cross(base.V.angular, arm);
    const double added = turning * (turning * norm(arm) + 2 * norm(slip));
    scale.acceleration = std::max(scale.acceleration, added);
    if (!is_ground(joint.moving)) scale.force = std::max(scale.force, sizes_[at(joint.moving)].mass * added);
  }
  scale.moment = std::max(scale.moment, scale.force * largest_reach_);
  scale.energy = energy;
  return scale;
}

}  // namespace polyform
