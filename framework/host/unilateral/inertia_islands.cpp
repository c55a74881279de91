#include "framework/host/unilateral/inertia_islands.hpp"

namespace polyform::host::inline unilateral {

/// The representative of a body's island, with paths made short on the way.
std::size_t InertiaIslands::root(std::size_t body) {
  while (of_body_[body] != body) body = of_body_[body] = of_body_[of_body_[body]];
  return body;
}

void InertiaIslands::join(BodyIndex a, BodyIndex b) {
  if (!is_ground(a) && !is_ground(b)) of_body_[root(at(a))] = root(at(b));
}

InertiaIslands::InertiaIslands(const SystemView& view) : of_velocity_(view.nv, none) {
  for (std::size_t b = 0; b < view.bodies.size(); ++b) of_body_.push_back(b);
  for (const JointData& joint : view.joints) join(joint.base, joint.moving);
  const auto moved_by = [](const JointData& joint) { return is_ground(joint.moving) ? joint.base : joint.moving; };
  const auto join_all = [&](const auto& groups) {
    for (const auto& group : groups) {
      std::size_t next = 0;
      for (const ElementInstance& instance : group.instances) {
        BodyIndex first = BodyIndex::ground;
        const auto add = [&](BodyIndex body) {
          join(first, body);
          if (!is_ground(body)) first = body;
        };
        for (const Marker& marker : instance.markers) add(marker.body);
        for (std::size_t k = 0; k < instance.joints.size(); ++k) add(moved_by(view.joints[at(group.joints[next++])]));
      }
    }
  };
  join_all(view.constraints);
  join_all(view.modules);
  for (std::size_t b = 0; b < of_body_.size(); ++b) of_body_[b] = root(b);
  std::vector<std::size_t> number(of_body_.size(), none);
  for (std::size_t& island : of_body_) {
    if (number[island] == none) number[island] = count_++;
    island = number[island];
  }
  for (const JointData& joint : view.joints)
    for (std::size_t v = 0; v < joint.nv && !is_ground(moved_by(joint)); ++v)
      of_velocity_[joint.v_offset + v] = of_body_[at(moved_by(joint))];
}

}  // namespace polyform::host::inline unilateral
