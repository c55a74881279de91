#include "framework/host/watches/passing_time.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline watches {

PassingTime::PassingTime(const SystemView& view) {
  const auto add = [&](std::size_t body, const Vec3& at) {
    const BodyData& b = view.bodies[body];
    const double square = 0.5 * (b.inertia.xx + b.inertia.yy + b.inertia.zz);
    if (square > 0 && b.mass > 0) points_.push_back({body, at, std::sqrt(square / b.mass)});
  };
  for (std::size_t b = 0; b < view.bodies.size(); ++b) add(b, view.bodies[b].center_of_mass);
  const auto add_markers = [&](const auto& groups) {
    for (const auto& group : groups)
      for (const ElementInstance& instance : group.instances)
        for (const Marker& marker : instance.markers) {
          if (is_ground(marker.body)) continue;
          const bool on_node = at(marker.frame) >= view.bodies.size();
          const Vec3 node = on_node ? view.nodes[at(marker.frame) - view.bodies.size()].point : Vec3{};
          add(at(marker.body), node + marker.point);
        }
  };
  add_markers(view.forces);
  add_markers(view.constraints);
  add_markers(view.modules);
}

void PassingTime::see(const Observation& now) {
  for (const Observation::Body& b : now.bodies)
    if (const double rate = norm(b.angular_velocity); rate > 0) shortest_ = std::min(shortest_, 1 / rate);
  for (const Point& p : points_) {
    const Observation::Body& b = now.bodies[p.body];
    const double speed = norm(b.velocity + cross(b.angular_velocity, rotation_matrix(b.pose.orientation) * p.at));
    if (speed > 0) shortest_ = std::min(shortest_, p.size / speed);
  }
}

}  // namespace polyform::host::watches
